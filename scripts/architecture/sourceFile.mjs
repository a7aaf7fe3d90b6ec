import { posix } from 'node:path';
import { Visitor, parseSync } from 'vite';

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
    memory: program.body.flatMap((node) => memoryOf('declaration' in node ? node.declaration : node)).map(lineAt),
  };
}

/** Where a statement of a module makes something that its functions could write to: variables, collections, caches. */
function memoryOf(statement) {
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
