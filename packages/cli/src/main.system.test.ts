import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { EXIT_CODES } from './failure.ts';
import { MAIN, startInTerminal, startInstalled, startPiped } from './testing/process.ts';
import { servedGateway } from './testing/servedGateway.ts';

const LINE = '2026-11-21T12:00:00.123Z INFO 198.51.100.7 "GET / HTTP/1.1" 200 512 3ms 127.0.0.1:8080';

let at: Awaited<ReturnType<typeof servedGateway>>;
let env: Record<string, string>;

const piped = (argv: readonly string[], more: Record<string, string> = {}) => startPiped(argv, { ...env, ...more });
const inTerminal = (argv: readonly string[], more: Record<string, string> = {}) =>
  startInTerminal(argv, { ...env, ...more });

beforeAll(async () => {
  at = await servedGateway();
  env = await at.signIn();
});
afterAll(() => at.close());

function startOn(version: string) {
  const pretend = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`;
  const words = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, MAIN, '--version'];
  return spawnSync(process.execPath, words, { encoding: 'utf8' });
}

it.each(['16.20.2', '18.19.0', '20.19.2', '22.11.0'])('is one sentence and exit code 1 on Node %s', (version) => {
  const { status, stdout, stderr } = startOn(version);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  const [, oldest] = /^>=(.+)$/.exec(manifest.engines.node) ?? [];
  expect(stderr).toMatch(
    new RegExp(`^sallyport: This is Node ${version}, and sallyport needs ${oldest} or newer\\. [^\\n]*\\n$`),
  );
});

it.each(['22.12.0', '23.0.0'])('runs on Node %s', (version) => {
  expect(startOn(version)).toMatchObject({ status: 0, stdout: `${manifest.version}\n` });
});

it('is a program, as an installed command must be', async () => {
  expect(await startInstalled(['--version']).ended).toEqual({ code: 0, out: `${manifest.version}\n`, err: '' });
});

describe('exit codes', () => {
  const damaged = () => {
    const directory = at.newFolder();
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
      () => ({ SALLYPORT_CONFIG: join(at.newFolder(), 'none') }),
    ],
    ['not signed in', 4, ['node', 'list'], () => ({ SALLYPORT_CONFIG_DIR: at.newFolder() })],
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

  it('has a row for each of them but one, which the next test is about', () => {
    const codes = Object.values(EXIT_CODES).map((ending) => ending.code);
    expect([...rows.map(([, code]) => code), 130]).toEqual(codes);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('interrupted by %s: 130, without a word', async (signal) => {
    at.gateway.system.logs.push({ kind: 'http', id: at.ids.appId }, [LINE]);
    const run = piped(['logs', '--service', 'App', '--follow', '--quiet']);
    await run.until(/GET \//);
    run.child.kill(signal);
    expect(await run.ended).toMatchObject({ code: 130, err: '' });
  });

  it('a full disk: 1', async () => {
    const { code, out } = await inTerminal(['node', 'list'], { TESTED_OUTPUT: '/dev/full' }).ended;
    expect(out).toContain('sallyport: The output could not be written (ENOSPC).');
    expect(code).toBe(1);
  });

  it('a reader that went away: 0, without a word', async () => {
    const key = { kind: 'http', id: at.ids.wikiId } as const;
    at.gateway.system.logs.push(key, [LINE]);
    const run = piped(['logs', '--service', 'Wiki', '--follow', '--quiet']);
    await run.until(/GET \//);
    run.child.stdout.destroy();
    at.gateway.system.logs.push(key, [LINE]);
    expect(await run.ended).toMatchObject({ code: 0, err: '' });
  });
});

describe('in a terminal', () => {
  beforeEach(() => at.gateway.world.setNodeRuntime(at.ids.edgeId, { status: 'idle' }));

  it('shows the nodes live until q', async () => {
    const run = inTerminal(['node', 'list', '--watch']);
    await run.until(/Live/);
    await run.until(/edge.*idle/);
    expect(run.out()).not.toContain('online');
    at.gateway.world.setNodeRuntime(at.ids.edgeId, { status: 'online' });
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
});
