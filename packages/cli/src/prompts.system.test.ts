import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { TEST_ADMIN } from '@sallyport/gateway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startInTerminal, startPiped } from './testing/process.ts';
import { type SelfSigned, selfSigned } from './testing/selfSigned.ts';
import { servedGateway } from './testing/servedGateway.ts';

const ROOT = process.getuid?.() === 0;
if (!ROOT) process.stderr.write('skipped: what only root may do is not asked about\n');

let at: Awaited<ReturnType<typeof servedGateway>>;
let operator: Record<string, string>;
/** Asked for while the tests are listed, when there is no gateway yet. */
let url = '';

beforeAll(async () => {
  let certificate: SelfSigned | undefined;
  at = await servedGateway((folder) => (certificate = selfSigned(folder)));
  ({ url } = at);
  operator = await at.signIn('--pin', certificate?.fingerprint ?? '');
  const made = await startPiped(['token', 'create', 'ci', '--node', 'edge'], operator).ended;
  if (made.code !== 0) throw new Error(`There is no token: ${made.err}`);
}, 60_000);
afterAll(() => at.close());
beforeEach(() => void (at.requests.length = 0));

/** What was to change something at the gateway, next to sessions. */
const changes = () => at.requests.filter((request) => !request.startsWith('GET ') && !request.includes('/api/auth/'));

type Prompt = readonly [question: RegExp, answer: string];
const ADDRESS = /Address of the gateway: /;
const TRUST = /Trust this certificate from now on\? \[y\/N\]: /;
const USER = /User name: /;
const PASSWORD = /Password: /;

async function answer(run: ReturnType<typeof startInTerminal>, question: RegExp, typed: string): Promise<void> {
  await run.until(question);
  run.child.stdin.write(`${typed}\r`);
}

const signIn = (): Prompt[] => [
  [ADDRESS, url],
  [TRUST, 'y'],
  [USER, TEST_ADMIN.username],
  [PASSWORD, TEST_ADMIN.password],
];
const joinHost = (): Prompt[] => [
  ...signIn(),
  [/Name of the node \[.+\]: /, 'office'],
  [/network that it is in \[y\/N\]: /, 'y'],
  [/Interface(?: \[.+\])?: /, 'eth0'],
  [/Subnet behind it(?: \[.+\])?: /, '192.0.2.0/24'],
  [/through the gateway \[y\/N\]: /, 'y'],
];

/** A host that is a node already, of a gateway that is never asked. */
const NODE = {
  version: 1,
  url: 'https://127.0.0.1:1',
  token: 'spn_0123456789',
  pin: null,
  interface: 'sptest0',
  connected: false,
};

type Row = {
  argv: string[];
  prompts: () => Prompt[];
  /** Who runs it: root, on a host that is a node already, or an operator who is signed in. */
  by?: 'root' | 'node' | 'operator';
};
const rows: Row[] = [
  { argv: ['login'], prompts: joinHost, by: 'root' },
  { argv: ['login'], prompts: () => [[/Replace that \[y\/N\]: /, 'y'], ...signIn().slice(0, 1)], by: 'node' },
  { argv: ['login', '--operator'], prompts: signIn },
  {
    argv: ['config'],
    prompts: () => [
      [ADDRESS, url],
      [/Token of the node: /, 'spn_0123456789abcdef'],
    ],
  },
  { argv: ['regenerate'], prompts: () => [[/its keys and its token \[y\/N\]: /, 'y']], by: 'node' },
  { argv: ['node', 'delete', 'edge'], prompts: () => [[/Delete node "edge".*\? \[y\/N\]: /, 'y']], by: 'operator' },
  {
    argv: ['domain', 'delete', 'app.example.test'],
    prompts: () => [[/Delete domain .*\? \[y\/N\]: /, 'y']],
    by: 'operator',
  },
  { argv: ['service', 'delete', 'App'], prompts: () => [[/Delete service "App"\? \[y\/N\]: /, 'y']], by: 'operator' },
  {
    argv: ['token', 'revoke', 'ci', '--node', 'edge'],
    prompts: () => [[/Revoke access token .*\? \[y\/N\]: /, 'y']],
    by: 'operator',
  },
  {
    argv: ['token', 'delete', 'ci', '--node', 'edge'],
    prompts: () => [[/Delete access token .*\? \[y\/N\]: /, 'y']],
    by: 'operator',
  },
].filter(({ by }) => ROOT || (by !== 'root' && by !== 'node')) as Row[];

/** Every directory and file below a folder, with what stands in it. */
const contentOf = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return [path, entry.isFile() ? readFileSync(path, 'utf8') : null];
  });

/** Answers the first `count` questions, and presses `key` at the next. */
async function giveUp({ argv, prompts, by }: Row, count: number, key: string) {
  const folder = at.newFolder();
  const file = join(folder, 'etc', 'config.json');
  if (by === 'node') {
    mkdirSync(join(folder, 'etc'));
    writeFileSync(file, JSON.stringify(NODE));
  }
  const before = contentOf(folder);
  const env = by === 'operator' ? operator : { SALLYPORT_CONFIG_DIR: join(folder, 'operator') };
  const run = startInTerminal(argv, { ...env, SALLYPORT_CONFIG: file });
  for (const [question, typed] of prompts().slice(0, count)) await answer(run, question, typed);
  await run.until(prompts()[count]?.[0] ?? /^$/);
  run.child.stdin.write(key);
  const { code, out } = await run.ended;
  expect(contentOf(folder)).toEqual(before);
  return { code, out: stripVTControlCharacters(out) };
}

describe.each(rows.map((row) => [row.argv.join(' '), row] as const))('%s', (_command, row) => {
  it.each(row.prompts().map(([question], index) => [question.source, index] as const))(
    'at %s: Ctrl+C is 130, the end of the input 2; nothing was written or changed',
    async (_, count) => {
      const [interrupted, ended] = await Promise.all([giveUp(row, count, '\x03'), giveUp(row, count, '\x04')]);
      expect(interrupted).toMatchObject({ code: 130, out: expect.stringMatching(/: \r\n$/) });
      expect(ended).toMatchObject({
        code: 2,
        out: expect.stringMatching(
          /\r\nsallyport: (?:No [^\r\n?]+ was entered|The question was not answered)\. Run the command again\.\r\n$/,
        ),
      });
      expect(changes()).toEqual([]);
    },
  );
});
