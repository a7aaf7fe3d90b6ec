import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { createFlows, FLOW_SECONDS, type Flow, returnPath } from './signInFlow.ts';
import { createTestClock } from '../testing/testClock.ts';

const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));
const flow: Flow = { domainId: 7, wanted: '/deep?a=1', nonce: 'the nonce', verifier: 'the verifier' };
const START = new Date('2026-11-21T12:00:00.000Z');

it('gives back what was begun, and shows nothing of it on the way', () => {
  const flows = createFlows(createTestClock(START).now);
  const { state, cookie, secret } = flows.begin(flow, '0');
  expect(state).toMatch(/^[\w-]+$/);
  for (const hidden of ['nonce', 'verifier', 'deep', secret]) {
    expect(Buffer.from(state.slice(1), 'base64url').toString('latin1')).not.toContain(hidden);
  }
  expect(flows.finish(state, secret)).toEqual({ flow, cookie, isBound: true });
});

it('takes another secret and another state for each flow', () => {
  const flows = createFlows(createTestClock(START).now);
  const begun = Array.from({ length: 9 }, () => flows.begin(flow, '0'));
  expect(new Set(begun.map(({ secret }) => secret)).size).toBe(9);
  expect(new Set(begun.map(({ state }) => state)).size).toBe(9);
});

it('takes cookies in turn that the browser has not, and of others only where it may', () => {
  const flows = createFlows(createTestClock(START).now);
  const slots = (used: string, mayReplace: boolean) =>
    Array.from({ length: 5 }, () => flows.slotFor({ used, mayReplace }));
  expect(slots('', false)).toEqual(['0', '1', '2', '3', '0']);
  expect(slots('13', false)).toEqual(['2', '2', '0', '0', '2']);
  expect(slots('0123', true)).toEqual(['2', '3', '0', '1', '2']);
  expect(slots('0123', false)).toEqual([null, null, null, null, null]);
});

it('counts once, also when another browser was first', () => {
  const flows = createFlows(createTestClock(START).now);
  const [one, two] = [flows.begin({ ...flow, nonce: 'one' }, '0'), flows.begin({ ...flow, nonce: 'two' }, '0')];
  expect(flows.finish(one.state, one.secret)?.isBound).toBe(true);
  expect(flows.finish(one.state, one.secret)?.isBound).toBe(false);
  expect(flows.finish(two.state, one.secret)?.isBound).toBe(false);
  expect(flows.finish(two.state, two.secret)?.isBound).toBe(false);
});

it('knows nothing of a flow of another gateway, or that took too long', () => {
  const clock = createTestClock(START);
  const flows = createFlows(clock.now);
  const [early, late] = [flows.begin({ ...flow, nonce: 'early' }, '0'), flows.begin({ ...flow, nonce: 'late' }, '0')];
  expect(createFlows(clock.now).finish(early.state, early.secret)).toBeNull();
  clock.advance(FLOW_SECONDS * 1000 - 1);
  expect(flows.finish(early.state, early.secret)?.isBound).toBe(true);
  clock.advance(1);
  expect(flows.finish(late.state, late.secret)).toBeNull();
});

it('is not bound by a secret that is missing or another', () => {
  const flows = createFlows(createTestClock(START).now);
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.uuid(), (secret, nonce) => {
      expect(flows.finish(flows.begin({ ...flow, nonce }, '0').state, secret)?.isBound).toBe(false);
    }),
  );
});

it('knows nothing of a state that was changed, cut or made up', () => {
  const flows = createFlows(createTestClock(START).now);
  const { state, secret } = flows.begin(flow, '0');
  const bytes = Buffer.from(state.slice(1), 'base64url');
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ change;
      expect(flows.finish(`0${changed.toString('base64url')}`, secret)).toBeNull();
      expect(flows.finish(`0${bytes.subarray(0, at).toString('base64url')}`, secret)).toBeNull();
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (made) => {
      expect(flows.finish(made, secret)).toBeNull();
    }),
  );
});

// Where a visitor goes after signing in.

const ORIGIN = 'https://app.example.test';
/** Where a browser goes that is sent there, which takes tabs and newlines out and backslashes for slashes. */
const goesTo = (wanted: string | null): URL => new URL(`${ORIGIN}${returnPath(wanted)}`);

it('stays on the own origin, and off its own pages, whatever is wanted', () => {
  const piece = fc.oneof(
    fc.constantFrom('/', '\\', '//', '.', '..', '@', ':', '?', '#', '%2f', '%5c', '\t', '\n', '\r', '\0', ' ', ';'),
    fc.constantFrom('evil.test', 'https://evil.test', '.sallyport', 'sign-out', 'javascript:', 'app.example.test'),
    fc.string({ unit: anyCharacter, maxLength: 4 }),
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
