import { posix } from 'node:path';
import { parseSync, Visitor } from 'vite';
import { PURE } from './table.mjs';

const LINES_MAX = 400;
/** The only places that may end the process: anyone who calls them has the last word on the exit code. */
const EXITS = ['packages/cli/src/main.ts', 'packages/gateway/src/main.ts'];

/**
 * A `.contract.ts` holds tests that several implementations of one type have to pass; what is called `testing` helps
 * tests and never reaches a bundle.
 */
const isTest = (path) => /\.(test|contract)\.tsx?$|\/src\/testing[/.]/.test(path);

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
  // No one reads a generated file from top to bottom.
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

/**
 * What one source file reaches for: everything it imports (static, dynamic, as a type, or passed on by an export),
 * where it uses the global `process`, and what it could remember from one call to the next. `path` is relative to the root.
 */
export function readSource(path, text) {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors.map(({ message }) => message).join('; ')}`);
  const lineAt = (offset) => text.slice(0, offset).split('\n').length;
  const imports = [];
  const uses = [];
  const notTheGlobal = new Set();
  const add = (node, source, typeOnly) => {
    if (typeof source?.value === 'string')
      imports.push({ line: lineAt(node.start), specifier: source.value, typeOnly });
    // A template without a hole is a name as well.
    else if (source?.quasis?.length === 1) add(node, { value: source.quasis[0].value.cooked }, typeOnly);
  };
  new Visitor({
    ImportDeclaration: (node) => add(node, node.source, isTypeOnly(node.importKind, node.specifiers, 'importKind')),
    ExportNamedDeclaration: (node) =>
      add(node, node.source, isTypeOnly(node.exportKind, node.specifiers, 'exportKind')),
    ExportAllDeclaration: (node) => add(node, node.source, node.exportKind === 'type'),
    ImportExpression: (node) => add(node, node.source, false),
    TSImportType: (node) => add(node, node.source, true),
    Property: (node) => node.computed || node.shorthand || notTheGlobal.add(node.key.start),
    MemberExpression: (node) => {
      if (!node.computed) notTheGlobal.add(node.property.start);
      if (node.object.type === 'Identifier' && node.object.name === 'process')
        uses.push({ line: lineAt(node.start), member: memberOf(node) });
    },
    Identifier: (node) => {
      if (node.name === 'process') uses.push({ line: lineAt(node.start), start: node.start });
    },
  }).visit(program);
  return {
    path,
    lines: text.split('\n').length - 1,
    imports,
    process: uses.filter((use) => !notTheGlobal.has(use.start)),
    memory: program.body.flatMap((node) => stateIn('declaration' in node ? node.declaration : node)).map(lineAt),
  };
}

/** Where a statement of a module makes something that its functions could write to: variables, collections, caches. */
function stateIn(statement) {
  if (statement?.type !== 'VariableDeclaration') return [];
  return statement.declarations
    .filter(({ init }) => statement.kind !== 'const' || isWritable(init))
    .map(({ start }) => start);
}

/** Lists and objects that are written out are constants; what begins empty is there to be filled. */
function isWritable(value) {
  switch (value?.type) {
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
      return isWritable(value.expression);
    case 'NewExpression':
      return true;
    case 'ArrayExpression':
      return value.elements.length === 0;
    case 'ObjectExpression':
      return value.properties.length === 0;
    case 'Literal':
      // Such a pattern knows where its last match ended.
      return /[gy]/.test(value.regex?.flags ?? '');
    default:
      return false;
  }
}

function isTypeOnly(kind, specifiers, key) {
  return kind === 'type' || (specifiers.length > 0 && specifiers.every((specifier) => specifier[key] === 'type'));
}

function memberOf(node) {
  return node.computed ? node.property.value : node.property.name;
}

/** Folders within a module that have rules of their own. */
const INNER = ['ingress/render', 'ingress/nginx', 'tunnel/render', 'tunnel/wireguard'];

/** The module of a source file: `sdk/contract`, `web/features/nodes`, `gateway/ingress/render`; for one in no folder `gateway/world`. */
export function moduleOf(path) {
  const [, name, inside] = /^packages\/([^/]+)\/src\/(.+)$/.exec(path) ?? [];
  if (inside === undefined) return undefined;
  const [first, second] = inside.replace(/\.[^/]*$/, '').split('/');
  return second !== undefined && (first === 'features' || INNER.includes(`${first}/${second}`))
    ? `${name}/${first}/${second}`
    : `${name}/${first}`;
}

/**
 * What an import leads to, in the words of the table: a room (`sdk/contract`), Node's own (`node:fs`), a package
 * (`npm:react`), its own `package.json`, or undefined when a relative path leaves its package.
 */
export function targetOf(path, specifier) {
  if (specifier.startsWith('.')) {
    const whole = posix.join(posix.dirname(path), specifier.replace(/\?.*$/, ''));
    if (whole === posix.join(folderOf(path), 'package.json')) return 'package.json';
    return folderOf(whole) === folderOf(path) ? moduleOf(whole) : undefined;
  }
  if (specifier.startsWith('node:')) return specifier;
  const [, own, entry = 'index'] = /^@sallyport\/([^/]+)(?:\/([^/]+))?/.exec(specifier) ?? [];
  if (own !== undefined) return `${own}/${entry}`;
  return `npm:${specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')}`;
}

function folderOf(path) {
  return /^packages\/[^/]+/.exec(path)?.[0] ?? '';
}
