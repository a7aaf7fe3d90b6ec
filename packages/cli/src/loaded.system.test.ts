import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TEST_ADMIN, createTestGateway } from '@sallyport/gateway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Started, startInTerminal, startPiped } from './testing/process.ts';
import { type Served, serve } from './testing/serve.ts';

const SCREEN = ['ink', 'react', 'react-reconciler', 'yoga-layout'];

let base: string;
let gateway: Awaited<ReturnType<typeof createTestGateway>>;
let server: Served;
let env: Record<string, string>;

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'sallyport-cli-'));
  gateway = await createTestGateway({ now: new Date() });
  await gateway.seed();
  server = await serve(gateway.fetch);
  env = {
    SALLYPORT_CONFIG_DIR: join(base, 'operator'),
    SALLYPORT_CONFIG: join(base, 'config.json'),
    SALLYPORT_URL: server.url,
  };
  const host = { version: 1, url: server.url, token: 'spn_none', pin: null, interface: 'sptest0', connected: false };
  writeFileSync(join(base, 'config.json'), JSON.stringify(host), { mode: 0o600 });
  await startPiped(['login', '--operator'], {
    ...env,
    SALLYPORT_USERNAME: TEST_ADMIN.username,
    SALLYPORT_PASSWORD: TEST_ADMIN.password,
  }).ended;
});
afterAll(async () => {
  await server.close();
  await gateway.stop();
  rmSync(base, { recursive: true });
});

/**
 * The libraries whose code a run had in memory, `npm:NAME`, and its own files: Node writes which files it loaded, and the source map of a
 * file says what the bundler put into it.
 */
async function loadedBy(
  argv: readonly string[],
  start: (argv: readonly string[], env: Record<string, string>) => Started = startPiped,
  then: (run: Started) => Promise<void> = async () => undefined,
): Promise<{ code: number | null; libraries: string[] }> {
  const folder = mkdtempSync(join(base, 'loaded-'));
  const run = start(argv, { ...env, NODE_V8_COVERAGE: folder });
  await then(run);
  const { code } = await run.ended;
  const files = readdirSync(folder).flatMap((name): string[] =>
    JSON.parse(readFileSync(join(folder, name), 'utf8')).result.map(({ url }: { url: string }) => url),
  );
  const own = [...new Set(files.filter((url) => url.includes('/packages/cli/dist/')))];
  expect(own.some((url) => url.endsWith('/main.js'))).toBe(true);
  const sources = own.flatMap((url): string[] => JSON.parse(readFileSync(`${fileURLToPath(url)}.map`, 'utf8')).sources);
  const libraries = sources.flatMap((path) => {
    const at = path.lastIndexOf('/node_modules/');
    return at < 0 ? [] : [/^(?:@[^/]+\/)?[^/]+/.exec(path.slice(at + '/node_modules/'.length))?.[0] ?? ''];
  });
  return { code, libraries: [...new Set(libraries)] };
}

describe('what a process of the built command loads', () => {
  it.each([['--version'], ['--help']])('%s: nothing but what is written here', async (flag) => {
    expect(await loadedBy([flag])).toEqual({ code: 0, libraries: [] });
  });

  it.each([
    ['status --json', 3],
    ['logs --service App', 0],
  ])('%s, piped: no screen', async (line, code) => {
    const found = await loadedBy(line.split(' '));
    expect(found.code).toBe(code);
    expect(found.libraries).toContain('zod');
    expect(found.libraries.filter((name) => SCREEN.includes(name))).toEqual([]);
  });

  it('top: the screen, so this test would see it', async () => {
    const { code, libraries } = await loadedBy(['top'], startInTerminal, async (run) => {
      await run.until(/q quits/);
      run.child.stdin.write('q');
    });
    expect(code).toBe(0);
    expect(libraries).toEqual(expect.arrayContaining(SCREEN));
  });
});
