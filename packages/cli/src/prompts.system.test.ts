import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { TEST_ADMIN, createTestGateway } from '@sallyport/gateway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startInTerminal, startPiped } from './testing/process.ts';
import { selfSigned } from './testing/selfSigned.ts';
import { type Served, serve } from './testing/serve.ts';

const ROOT = process.getuid?.() === 0;
if (!ROOT) process.stderr.write('skipped: what only root may do is not asked about\n');

let base: string;
let gateway: Awaited<ReturnType<typeof createTestGateway>>;
let server: Served | undefined;
let operator: string;
/** What changed something at the gateway, next to sessions. */
let changes: string[];

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'sallyport-prompts-'));
  gateway = await createTestGateway({ now: new Date() });
  await gateway.seed();
  server = await serve((request) => {
    const { pathname } = new URL(request.url);
    if (request.method !== 'GET' && !pathname.startsWith('/api/auth/')) changes.push(`${request.method} ${pathname}`);
    return gateway.fetch(request);
  }, selfSigned(base));
  operator = join(base, 'operator');
  const login = startInTerminal(['login', '--operator', '--url', server.url], { SALLYPORT_CONFIG_DIR: operator });
  await answer(login, TRUST, 'y');
  await answer(login, USER, TEST_ADMIN.username);
  await answer(login, PASSWORD, TEST_ADMIN.password);
  const signedIn = await login.ended;
  if (signedIn.code !== 0) throw new Error(`Nobody is signed in: ${signedIn.out}`);
  changes = [];
  const token = startPiped(['token', 'create', 'ci', '--node', 'edge'], { SALLYPORT_CONFIG_DIR: operator });
  const made = await token.ended;
  if (made.code !== 0) throw new Error(`There is no token: ${made.err}`);
}, 60_000);
afterAll(async () => {
  await server?.close();
  await gateway.stop();
  rmSync(base, { recursive: true });
});
beforeEach(() => {
  changes = [];
});

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
  [ADDRESS, server?.url ?? ''],
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
      [ADDRESS, server?.url ?? ''],
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

/** Answers what is asked before prompt `at`, and presses `key` there. */
async function giveUp({ argv, prompts, by }: Row, at: number, key: string) {
  const folder = mkdtempSync(join(base, 'run-'));
  const file = join(folder, 'etc', 'config.json');
  if (by === 'node') {
    mkdirSync(join(folder, 'etc'));
    writeFileSync(file, JSON.stringify(NODE));
  }
  const before = contentOf(folder);
  const run = startInTerminal(argv, {
    SALLYPORT_CONFIG: file,
    SALLYPORT_CONFIG_DIR: by === 'operator' ? operator : join(folder, 'operator'),
  });
  for (const [question, typed] of prompts().slice(0, at)) await answer(run, question, typed);
  await run.until(prompts()[at]?.[0] ?? /^$/);
  run.child.stdin.write(key);
  const { code, out } = await run.ended;
  expect(contentOf(folder)).toEqual(before);
  return { code, out: stripVTControlCharacters(out) };
}

describe.each(rows.map((row) => [row.argv.join(' '), row] as const))('%s', (_command, row) => {
  it.each(row.prompts().map(([question], at) => [question.source, at] as const))(
    'at %s: Ctrl+C is 130, the end of the input 2; nothing was written or changed',
    async (_, at) => {
      const [interrupted, ended] = await Promise.all([giveUp(row, at, '\x03'), giveUp(row, at, '\x04')]);
      expect(interrupted).toMatchObject({ code: 130, out: expect.stringMatching(/: \r\n$/) });
      expect(ended).toMatchObject({
        code: 2,
        out: expect.stringMatching(
          /\r\nsallyport: (?:No [^\r\n?]+ was entered|The question was not answered)\. Run the command again\.\r\n$/,
        ),
      });
      expect(changes).toEqual([]);
    },
  );
});
