import { moduleOf, targetOf } from './sourceFile.mjs';
import { PURE } from './table.mjs';

const LINES_MAX = 400;
/** The only places that may end the process: anyone who calls them has the last word on the exit code. */
const EXITS = ['packages/cli/src/main.ts', 'packages/gateway/src/main.ts'];

/**
 * A `.contract.ts` holds tests that several implementations of one type have to pass; what is called `testing` helps
 * tests and never reaches a bundle.
 */
export const isTest = (path) => /\.(test|contract)\.tsx?$|\/src\/testing[/.]/.test(path);

/**
 * Where a source file breaks the rules of the architecture, one sentence each: file, line, what it does, which rule.
 *
 * A row of the table says for one `module` what it `may` import and `never`, as patterns with `*`; its own files always,
 * unless `apart`. `typesOnly` lists what it may import for the types alone. With `noProcess` it asks nothing of `process`.
 * Files of `PURE` remember nothing: what they return follows from what they are given.
 */
export function violationsOf(source, table) {
  return isTest(source.path)
    ? lengthOf(source)
    : [...lengthOf(source), ...exitsOf(source), ...memoryOf(source), ...importsOf(source, table)];
}

function lengthOf({ path, lines }) {
  // Nobody reads a generated file from top to bottom.
  if (path.endsWith('.generated.ts')) return [];
  return lines > LINES_MAX ? [`${path}: ${lines} lines; a file has at most ${LINES_MAX}`] : [];
}

function exitsOf({ path, process }) {
  if (EXITS.includes(path)) return [];
  return process
    .filter(({ member }) => member === 'exit' || member === 'reallyExit')
    .map(({ line, member }) => `${path}:${line}: calls process.${member}; only ${EXITS.join(' and ')} may`);
}

function memoryOf({ path, memory }) {
  if (!PURE.some((beginning) => path.startsWith(`packages/${beginning}`))) return [];
  return memory.map((line) => `${path}:${line}: has state of its own; the same input gives the same text there`);
}

function importsOf(source, table) {
  const module = moduleOf(source.path);
  const rows = table.filter((row) => matches(row.module, module));
  const imports = source.imports.flatMap((found) => importViolations(source.path, module, found, rows));
  if (!rows.some((row) => row.noProcess)) return imports;
  const lines = new Set(source.process.map(({ line }) => line));
  return [...imports, ...Array.from(lines, (line) => `${source.path}:${line}: uses process; ${module} never does`)];
}

function importViolations(path, module, { line, specifier, typeOnly }, rows) {
  const target = targetOf(path, specifier);
  const violation = (rule) => `${path}:${line}: imports ${specifier}; ${rule}`;
  if (target === undefined) return [violation('another package is imported by its name')];
  // Every package may know its own name and version.
  if (target === 'package.json') return [];
  if (target.endsWith('/testing')) return [violation('only tests may')];
  return rows.flatMap((row) => {
    if (target === module) return row.apart ? [violation(`the files of ${row.module} never import each other`)] : [];
    if (anyMatches(row.never, target)) return [violation(`${row.module} never imports ${target}`)];
    if (typeOnly && anyMatches(row.typesOnly, target)) return [];
    if (anyMatches(row.may, target)) return [];
    if (anyMatches(row.typesOnly, target)) return [violation(`${row.module} may import only types of ${target}`)];
    return row.may
      ? [violation(`${row.module} may import ${[...row.may, ...(row.typesOnly ?? [])].join(', ') || 'nothing'}`)]
      : [];
  });
}

function anyMatches(patterns, target) {
  return patterns?.some((pattern) => matches(pattern, target)) ?? false;
}

function matches(pattern, target) {
  return pattern.endsWith('*') ? target.startsWith(pattern.slice(0, -1)) : pattern === target;
}
