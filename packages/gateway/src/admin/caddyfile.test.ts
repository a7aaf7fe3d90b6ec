import { symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { APP, caddyfileOf, planOf, removeCaddyfiles, site, summaryOf } from '../testing/caddyfiles.ts';
import { readCaddyfile } from './caddyfile.ts';
import { planCaddy } from './caddyPlan.ts';

afterAll(removeCaddyfiles);

describe('files and variables', () => {
  it('reads files next to the Caddyfile, and says in which one something stands', () => {
    const files = {
      'sites/a.caddy': site('import ../snippets/to', 'basic_auth', ''),
      'sites/b.caddy': 'b.test {\nreverse_proxy b:81\n}',
      'sites/.hidden.caddy': 'c.test {\nreverse_proxy c:81\n}',
      'snippets/to': 'reverse_proxy app:80',
    };
    const { services } = planOf('import sites/*.caddy', { files });
    expect(services).toMatchObject([
      {
        title: 'https://a.test → http://app:80 (snippets/to, line 1)',
        closed: expect.stringMatching(/^sites\/a\.caddy, line 3/),
      },
      { title: 'https://b.test → http://b:81 (sites/b.caddy, line 2)', closed: null },
    ]);
  });

  it('reads nothing outside of its directory, also not by a link', () => {
    const file = caddyfileOf('import link\nimport dir/*\nimport /etc/hosts\nimport ../1/Caddyfile');
    symlinkSync('/etc/hosts', join(dirname(file), 'link'));
    symlinkSync('/etc', join(dirname(file), 'dir'));
    const { left } = planCaddy(readCaddyfile(file, null));
    expect(left.map(({ what }) => what)).toEqual(['import', 'import', 'import', 'import']);
  });

  it('has values of the environment only out of a file, and defaults only with one', () => {
    const text = '{$NAME}.test {\nreverse_proxy {$HOST:app}:{env.PORT}\n}';
    process.env['NAME'] = 'a';
    expect(summaryOf(text)).toEqual([]);
    expect(summaryOf(text, { environment: { NAME: 'a', PORT: '80' } })).toEqual([APP]);
    delete process.env['NAME'];
    const lists = site('@out not remote_ip {$NETS:0.0.0.0/0}', 'abort @out', 'reverse_proxy app:80');
    expect(summaryOf(lists)).toEqual([`${APP} closed`]);
    expect(summaryOf(lists, { environment: { NETS: '192.0.2.1 192.0.2.2' } })).toEqual([
      `${APP} +192.0.2.1 +192.0.2.2`,
    ]);
  });
});

describe('hostile text', () => {
  const many = (text: string, times: number) => text.repeat(times);
  it.each<[string, string, RegExp]>([
    ['a block without an end', 'a.test {\nreverse_proxy app:80', /line 1: a \{ has no \}/],
    ['an end without a block', 'a.test {\n}\n}', /line 3: a \} ends nothing/],
    ['a snippet without an end', '(x) {\n{', /line 1: a \{ has no \}/],
    ['quotes without an end', 'a.test {\nrespond "x\n}', /line 2: a " has no other/],
    ['a heredoc without an end', 'a.test {\nrespond <<E\nx\n}', /line 2: <<E has no line E/],
    ['a block in one line', 'a.test { respond 200 }', /line 1: after \{ comes a new line/],
    ['deep blocks', many('x {\n', 10_000), /more than 50 blocks/],
    ['deep conditions', `a.test {\n@x not {\n${many('not {\n', 10_000)}`, /more than 50 blocks/],
    ['a snippet of itself', '(x) {\nimport x\n}\na.test {\nimport x\n}', /line 2: more than 10 imports/],
    ['a file of itself', 'import Caddyfile', /more than 10 imports/],
    [
      'a snippet that grows',
      `(x) {\n${many('y\n', 1000)}import x\nimport x\n}\na.test {\nimport x\n}`,
      /more than (?:200000 words|10 imports)/,
    ],
    ['a long line', `a.test {\n# ${many('x', 10_000_000)}`, /line 2: here it is larger than 1 MB/],
    ['a long word', `a.test {\nreverse_proxy ${many('x', 20_000)}`, /line 2: a word is longer/],
    ['many words', many('a ', 400_000), /more than 200000 words/],
  ])('%s ends with a sentence', { timeout: 10_000 }, (_, text, said) => {
    expect(() => planOf(text)).toThrow(said);
  });

  it('is never a stack trace, nor slow, whatever it is made of', { timeout: 60_000 }, () => {
    const parts = [
      'a.test',
      '{',
      '}',
      '\n',
      '"',
      '`',
      '<<E',
      'import',
      'x',
      '(x)',
      '@x',
      'not',
      '{$A',
      '}',
      'path',
      '/\u202e../<b>',
      '\0',
      '\\',
      '#',
      'reverse_proxy',
      'handle',
      'remote_ip',
      ',',
      '{args[0]}',
    ];
    let seed = 1;
    const next = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
    for (let turn = 0; turn < 500; turn += 1) {
      const text = Array.from(
        { length: next(40) },
        () => `${parts[next(parts.length)]}${['', ' ', '\n'][next(3)]}`,
      ).join('');
      expect([text, failureOf(text)]).toEqual([text, expect.toBeOneOf([null, 'StartError'])]);
    }
  });
});

/** What kind of error ends the reading of a text; null: none. */
function failureOf(text: string): string | null {
  try {
    planOf(text);
    return null;
  } catch (error) {
    return error instanceof Error ? error.name : String(error);
  }
}
