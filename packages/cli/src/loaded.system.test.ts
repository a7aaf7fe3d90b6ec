import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Started, startInTerminal, startPiped } from './testing/process.ts';
import { servedGateway } from './testing/servedGateway.ts';

const SCREEN = ['ink', 'react', 'react-reconciler', 'yoga-layout'];

let at: Awaited<ReturnType<typeof servedGateway>>;
let env: Record<string, string>;

beforeAll(async () => {
  at = await servedGateway();
  const file = join(at.folder, 'config.json');
  const host = { version: 1, url: at.url, token: 'spn_none', pin: null, interface: 'sptest0', connected: false };
  writeFileSync(file, JSON.stringify(host), { mode: 0o600 });
  env = { ...(await at.signIn()), SALLYPORT_CONFIG: file };
});
afterAll(() => at.close());

/**
 * The libraries whose code a run had in memory, `npm:NAME`, and its own files: Node writes which files it loaded, and the source map of a
 * file says what the bundler put into it.
 */
async function loadedBy(
  argv: readonly string[],
  start: (argv: readonly string[], env: Record<string, string>) => Started = startPiped,
  then: (run: Started) => Promise<void> = async () => undefined,
): Promise<{ code: number | null; libraries: string[] }> {
  const folder = at.newFolder();
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
    const begin = path.lastIndexOf('/node_modules/');
    return begin < 0 ? [] : [/^(?:@[^/]+\/)?[^/]+/.exec(path.slice(begin + '/node_modules/'.length))?.[0] ?? ''];
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
