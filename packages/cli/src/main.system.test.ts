import { TEST_ADMIN, createTestGateway } from '@sallyport/gateway/testing';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { EXIT_CODES } from './failure.ts';
import { MAIN, startInTerminal, startInstalled, startPiped } from './testing/process.ts';
import { type Served, serve } from './testing/serve.ts';

const LINE = '2026-11-21T12:00:00.123Z INFO 198.51.100.7 "GET / HTTP/1.1" 200 512 3ms 127.0.0.1:8080';

let base: string;
let gateway: Awaited<ReturnType<typeof createTestGateway>>;
let ids: Awaited<ReturnType<typeof gateway.seed>>;
let server: Served;
let env: Record<string, string>;

const newDirectory = () => mkdtempSync(join(base, 'directory-'));
const piped = (argv: readonly string[], more: Record<string, string> = {}) => startPiped(argv, { ...env, ...more });
const inTerminal = (argv: readonly string[], more: Record<string, string> = {}) =>
  startInTerminal(argv, { ...env, ...more });

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'sallyport-cli-'));
  // Real time: the sessions that it gives are measured by the clock of the command's process.
  gateway = await createTestGateway({ now: new Date() });
  ids = await gateway.seed();
  server = await serve(gateway.fetch);
  env = { SALLYPORT_CONFIG_DIR: newDirectory(), SALLYPORT_URL: server.url };
  await piped(['login', '--operator'], {
    SALLYPORT_USERNAME: TEST_ADMIN.username,
    SALLYPORT_PASSWORD: TEST_ADMIN.password,
  }).ended;
});
afterAll(async () => {
  await server.close();
  await gateway.stop();
  rmSync(base, { recursive: true });
});

it.each(['16.20.2', '18.19.0', '20.19.2'])('is one sentence and exit code 1 on Node %s', (version) => {
  const pretend = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`;
  const words = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, MAIN, 'status'];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(
    new RegExp(`^sallyport: This is Node ${version}, and sallyport needs 22\\.12 or newer\\. [^\\n]*\\n$`),
  );
});

it('is a program, as an installed command must be', async () => {
  expect(await startInstalled(['--version']).ended).toEqual({ code: 0, out: `${manifest.version}\n`, err: '' });
});

describe('exit codes', () => {
  const damaged = () => {
    const directory = newDirectory();
    writeFileSync(join(directory, 'config.json'), '{"version":1,"prof');
    return directory;
  };
  type Row = [meaning: string, code: number, argv: string[], more: () => Record<string, string>];
  const rows: Row[] = [
    ['done', 0, ['node', 'list'], () => ({})],
    ['a damaged configuration', 1, ['node', 'list'], () => ({ SALLYPORT_CONFIG_DIR: damaged() })],
    ['an unknown flag', 2, ['node', 'list', '--bogus'], () => ({})],
    [
      'a host that is no node',
      3,
      ['http', 'web', '--port', '80'],
      () => ({ SALLYPORT_CONFIG: join(newDirectory(), 'config.json') }),
    ],
    ['not signed in', 4, ['node', 'list'], () => ({ SALLYPORT_CONFIG_DIR: newDirectory() })],
    ['an unknown service', 5, ['logs', '--service', 'nothing'], () => ({})],
    [
      'a gateway that is not there',
      6,
      ['login', '--operator'],
      () => ({ SALLYPORT_URL: 'http://127.0.0.1:1', SALLYPORT_USERNAME: 'admin', SALLYPORT_PASSWORD: 'x' }),
    ],
  ];

  it.each(rows)('%s: %i, piped and in a terminal', async (_, code, argv, more) => {
    const [one, other] = await Promise.all([piped(argv, more()).ended, inTerminal(argv, more()).ended]);
    expect([one.code, other.code]).toEqual([code, code]);
    expect(one.out !== '').toBe(code === 0);
    const said = code === 0 ? /^$/ : /^sallyport: [^\n]+\n(?: {2}[^\n]+\n)*$/;
    expect(one.err).toMatch(said);
    // A terminal shows both streams.
    expect(code === 0 ? '' : other.out.replaceAll('\r', '')).toMatch(said);
  });

  it('has a row for each of them but one, which the next tests are about', () => {
    const codes = Object.values(EXIT_CODES).map((ending) => ending.code);
    expect([...rows.map(([, code]) => code), 130]).toEqual(codes);
  });

  it('nobody to ask: 2', async () => {
    expect(await piped(['login', '--operator']).ended).toMatchObject({ code: 2, out: '' });
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('interrupted by %s: 130, without a word', async (signal) => {
    gateway.system.logs.push({ kind: 'http', id: ids.appId }, [LINE]);
    const run = piped(['logs', '--service', 'App', '--follow']);
    await run.until(/GET \//);
    run.child.kill(signal);
    expect(await run.ended).toMatchObject({ code: 130, err: '' });
  });

  it('a full disk: 1', async () => {
    const { code, out } = await inTerminal(['node', 'list'], { TESTED_OUTPUT: '/dev/full' }).ended;
    expect(out).toContain('sallyport: The output could not be written (ENOSPC).');
    expect(code).toBe(1);
  });

  it('nobody reads on: 0, without a word', async () => {
    const key = { kind: 'http', id: ids.wikiId } as const;
    gateway.system.logs.push(key, [LINE]);
    const run = piped(['logs', '--service', 'Wiki', '--follow']);
    await run.until(/GET \//);
    run.child.stdout.destroy();
    gateway.system.logs.push(key, [LINE]);
    expect(await run.ended).toMatchObject({ code: 0, err: '' });
  });
});

describe('piped', () => {
  it('prints a list for programs', async () => {
    const { out } = await piped(['node', 'list']).ended;
    expect(out.split('\n')[1]).toMatch(/^2\tedge\tnode\toffline\t10\.88\.0\.2\t\t\t$/);
    expect(JSON.parse((await piped(['node', 'list', '--json']).ended).out)).toMatchObject({ version: 1, total: 3 });
  });

  it('reads the password from standard input', async () => {
    const run = piped(['login', '--operator', '--username', 'admin', '--password-stdin', '--profile', 'second']);
    run.child.stdin.end(TEST_ADMIN.password);
    expect((await run.ended).code).toBe(0);
  });
});

describe('in a terminal', () => {
  beforeEach(() => gateway.world.setNodeRuntime(ids.edgeId, { status: 'idle' }));

  it('prints a list as a table with colours', async () => {
    const { code, out } = await inTerminal(['node', 'list']).ended;
    expect(code).toBe(0);
    expect(out).toMatch(/ID.*NAME.*STATUS/);
    expect(out).toContain('\x1b[33midle');
    expect((await inTerminal(['node', 'list'], { NO_COLOR: '1' }).ended).out).not.toContain('\x1b[');
  });

  it('shows the nodes live until q', async () => {
    const run = inTerminal(['node', 'list', '--watch']);
    await run.until(/Live/);
    expect(run.out()).toMatch(/edge.*idle/);
    expect(run.out()).not.toContain('online');
    gateway.world.setNodeRuntime(ids.edgeId, { status: 'online' });
    await run.until(/edge.*online/);
    run.child.stdin.write('q');
    expect((await run.ended).code).toBe(0);
  });

  it('ends the live nodes on Ctrl+C with 130, and shows the cursor again', async () => {
    const run = inTerminal(['node', 'list', '--watch']);
    await run.until(/Live/);
    run.child.stdin.write('\x03');
    const { code, out } = await run.ended;
    expect(code).toBe(130);
    expect(out.lastIndexOf('\x1b[?25h')).toBeGreaterThan(out.lastIndexOf('\x1b[?25l'));
  });

  it('follows a log with colours until Ctrl+C', async () => {
    const run = inTerminal(['logs', '--service', 'App', '--follow']);
    await run.until(/GET \//);
    gateway.system.logs.push({ kind: 'http', id: ids.appId }, [
      LINE.replace('INFO', 'ERROR').replace('GET /', 'GET /new'),
    ]);
    await run.until(/\[31m[^\n]*GET \/new/);
    run.child.stdin.write('\x03');
    expect((await run.ended).code).toBe(130);
  });

  it('asks for the password without showing it', async () => {
    const run = inTerminal(['login', '--operator', '--profile', 'typed']);
    await run.until(/User name: /);
    run.child.stdin.write(`${TEST_ADMIN.username}\r`);
    await run.until(/Password: /);
    run.child.stdin.write(`${TEST_ADMIN.password}\r`);
    const { code, out } = await run.ended;
    expect(out).toContain('Signed in to');
    expect(out).toContain(TEST_ADMIN.username);
    expect(out).not.toContain(TEST_ADMIN.password);
    expect(code).toBe(0);
  });

  it('gives up at a prompt on Ctrl+C with 130', async () => {
    const run = inTerminal(['login', '--operator', '--username', 'admin', '--profile', 'never']);
    await run.until(/Password: /);
    run.child.stdin.write('\x03');
    expect((await run.ended).code).toBe(130);
  });
});
