import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

// The README of the SDK names the oldest TypeScript that its declarations are for.

const root = join(import.meta.dirname, '..');
const sdk = join(root, 'packages', 'sdk');
/** Within the package, so that what it depends on is found from there. */
let folder;
beforeAll(() => {
  folder = mkdtempSync(join(sdk, 'node_modules', '.declarations-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What a compiler says. */
function compile(name, options) {
  const compiler = name === 'typescript' ? ['bin', 'tsc'] : ['lib', 'tsc.js'];
  const path = join(root, 'node_modules', name, ...compiler);
  return spawnSync(process.execPath, [path, ...options], { cwd: root, encoding: 'utf8' }).stdout;
}

const PROGRAM = `
import { createClient, isApiError, type Node } from './index.js';
const client = createClient({ baseUrl: 'https://gateway.example:9443' });
export async function names(): Promise<string[]> {
  const found: string[] = [];
  for await (const node of client.node.all({ query: { search: 'edge' } })) found.push(node.name);
  const whole: { data: Node; requestId: string | null } = await client.node.get({ params: { id: 2 } }).withResponse();
  for await (const lines of client.log.watch({ query: { domain: 'a.example.com' } })) found.push(...lines, whole.data.name);
  // @ts-expect-error there is no such query
  await client.node.list({ query: { colour: 'red' } });
  return found;
}
export const isOld = (error: unknown): boolean => isApiError(error, 'unauthorized') && error.tokenRefused;
`;

it('the declarations are understood by TypeScript 5.4', () => {
  expect(compile('typescript', ['-p', join(sdk, 'tsconfig.build.json'), '--outDir', folder])).toBe('');
  writeFileSync(join(folder, 'program.ts'), PROGRAM);
  const compilerOptions = {
    noEmit: true,
    strict: true,
    target: 'es2022',
    module: 'nodenext',
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: [],
  };
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
  // Declarations of other packages name optional ones that are not there.
  const said = compile('typescript-5.4', ['-p', folder]).split('\n');
  expect(said.filter((line) => line !== '' && !/node_modules\/\.pnpm\//.test(line))).toEqual([]);
});
