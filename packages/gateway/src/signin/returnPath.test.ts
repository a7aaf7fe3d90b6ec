import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { returnPath } from './signInFlow.ts';

const ORIGIN = 'https://app.example.test';
/** Where a browser goes that is sent there, which takes tabs and newlines out and backslashes for slashes. */
const goesTo = (wanted: string | null): URL => new URL(`${ORIGIN}${returnPath(wanted)}`);

it('stays on the own origin, and off its own pages, whatever is wanted', () => {
  const piece = fc.oneof(
    fc.constantFrom('/', '\\', '//', '.', '..', '@', ':', '?', '#', '%2f', '%5c', '\t', '\n', '\r', '\0', ' ', ';'),
    fc.constantFrom('evil.test', 'https://evil.test', '.sallyport', 'sign-out', 'javascript:', 'app.example.test'),
    fc.string({ unit: 'binary', maxLength: 4 }),
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
      fc.boolean(),
      (text, rooted) => {
        const wanted = `${rooted ? '/' : ''}${text}`;
        const path = returnPath(wanted);
        // As a whole address, and as a reference that is resolved against a page.
        for (const url of [goesTo(wanted), new URL(path, `${ORIGIN}/.sallyport/sign-in`)]) {
          expect(url.origin).toBe(ORIGIN);
          expect(url.username).toBe('');
          expect(`${url.pathname}/`.startsWith('/.sallyport/')).toBe(false);
        }
        expect(path).toMatch(/^\/[\x21-\x7e]*$/);
      },
    ),
  );
});

it.each([
  '//evil.test/',
  '/\\evil.test/',
  '/\t/evil.test/',
  'https://evil.test/',
  '\\\\evil.test',
  'javascript:alert(1)',
  '@evil.test',
  '.evil.test',
  '/a b',
  '/a\r\nSet-Cookie: x=1',
  '/\u00e4',
  '/.sallyport',
  '/.sallyport?to=/',
  '/.sallyport#x',
  '/.sallyport/sign-out',
  '/./.sallyport/sign-out',
  '/x/../.sallyport/sign-out',
  '/%2e/.sallyport/sign-out',
  '/x/%2E%2e/.sallyport/sign-out',
  '/%2esallyport/sign-out',
  '/.//.sallyport/sign-out',
  `/${'x'.repeat(2000)}`,
  '',
  null,
])('leads to the front page for %j', (wanted) => {
  expect(returnPath(wanted)).toBe('/');
});

it.each(['/', '/a/b?c=d&e=%2F#f', '/a//b', '/.sallyportal/', '/x/.sallyport/', '/a/../b', `/${'x'.repeat(1999)}`])(
  'leads back to %s',
  (wanted) => {
    expect(returnPath(wanted)).toBe(wanted);
  },
);
