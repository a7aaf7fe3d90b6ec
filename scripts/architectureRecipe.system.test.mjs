import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const LIMIT_MS = 600_000;
const VITEST = ['node_modules/.bin/vitest', 'run', '--project'];
/** The tests that the page names, and the one that holds every flag of the command to its rules. */
const UNIT_TESTS = ['store/open.test', 'scripts/generatedDocs.test', 'cli/src/program.test'];
let copy = '';

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'sallyport-recipe-'));
  copyRepository();
  for (const edit of recipe(readFileSync(join(root, 'docs/architecture.md'), 'utf8'))) make(edit);
}, LIMIT_MS);
afterAll(() => rmSync(copy, { recursive: true, force: true }));

it.each([
  ['the documents are written', 'scripts/generate.mjs'],
  ['the fields of the page compile', 'node_modules/.bin/tsc', '-b'],
  ['the unit tests pass', ...VITEST, 'unit', ...UNIT_TESTS],
  ['the form has controls for them', ...VITEST, 'web', 'ServiceForm.test', '-t', 'has a control for'],
  ['the list is answered', ...VITEST, 'unit', 'api/sweep.test', '-t', 'audit.list'],
  ['a visitor notices them', ...VITEST, 'system', 'fieldsOnTheWire', '-t', 'maxUploadMb|rateLimit'],
])('%s', (_, program, ...args) => expect(failureOf(program, ...args)).toBe(''), LIMIT_MS);

/** The blocks of the page: a file, and lines to add next to, or instead of, lines that are there. */
function recipe(page) {
  const edits = [...page.matchAll(/^ *```diff\n([^]*?)^ *```$/gm)].map(([, block]) => {
    const [head, ...lines] = block.trimEnd().split('\n');
    const indent = head.length - head.trimStart().length;
    return { path: head.slice(indent + '+++ '.length), lines: lines.map((line) => line.slice(indent)) };
  });
  expect(edits.length).toBeGreaterThan(0);
  return edits;
}

function make({ path, lines }) {
  const file = join(copy, path);
  const without = (sign) => lines.filter((line) => !line.startsWith(sign)).map((line) => `${line.slice(1)}\n`);
  const [before, after] = [without('+'), without('-')];
  if (before.length === 0) {
    mkdirSync(dirname(file), { recursive: true });
    return writeFileSync(file, after.join(''));
  }
  const parts = `\n${readFileSync(file, 'utf8')}`.split(`\n${before.join('')}`);
  expect(parts.length, `${path} has the lines of the page once:\n${before.join('')}`).toBe(2);
  writeFileSync(file, parts.join(`\n${after.join('')}`).slice(1));
}

/** What git tracks and what it does not ignore yet, and the installed packages: only those of others are shared. */
function copyRepository() {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const path of String(listed).split('\0')) {
    if (path === '' || path.startsWith('docs/screens/')) continue;
    mkdirSync(join(copy, dirname(path)), { recursive: true });
    cpSync(join(root, path), join(copy, path));
  }
  for (const folder of ['.', ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}`)]) {
    const installed = join(root, folder, 'node_modules');
    mkdirSync(join(copy, folder, 'node_modules'));
    for (const name of readdirSync(installed)) {
      const [from, to] = [join(installed, name), join(copy, folder, 'node_modules', name)];
      if (name === '.pnpm') symlinkSync(from, to);
      else cpSync(from, to, { recursive: true, verbatimSymlinks: true });
    }
  }
}

/** Runs a program of the copy to its end; what it said when it failed, or nothing. */
function failureOf(program, ...args) {
  const words = program.endsWith('.mjs') ? [process.execPath, program, ...args] : [join(copy, program), ...args];
  const [command = '', ...rest] = words;
  const { status, stdout, stderr } = spawnSync(command, rest, { cwd: copy, encoding: 'utf8', env: ownEnvironment() });
  return status === 0 ? '' : `${program} ended with ${status}:\n${stdout}\n${stderr}`;
}

/** Without what this run of Vitest tells its own workers. */
const ownEnvironment = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV|TEST$)/.test(name)));
