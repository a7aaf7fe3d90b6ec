import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { parseEnv } from 'node:util';
import { StartError } from '../machine/startError.ts';
import { faultAt, type Place, type Token, tokensOf } from './caddyfileTokens.ts';

/** A line of a Caddyfile with the block that it opens; null: it opens none. */
export type Directive = { words: Token[]; block: Directive[] | null; at: Place };
export type CaddySite = { addresses: Token[]; directives: Directive[] };
export type Caddyfile = {
  /** The global options. */
  options: Directive[];
  sites: CaddySite[];
};

/** Larger than any Caddyfile that a person keeps in order; what is hostile ends here. */
const TEXT_MAX_BYTES = 1_000_000;
const FILES_MAX = 100;
const TOKENS_MAX = 200_000;
const NESTING_MAX = 50;
const IMPORTS_WITHIN_MAX = 10;

/** What a whole reading shares. */
type Reader = {
  root: string;
  environment: ReadonlyMap<string, string> | null;
  snippets: Map<string, Token[]>;
  /** How much more may be read. */
  left: { bytes: number; files: number; tokens: number };
};
/** The words of a file or a snippet, read from the first on. */
type Cursor = { tokens: Token[]; next: number; imports: number };

/**
 * Reads a Caddyfile with the snippets and files that it imports. Files are read below its own directory alone.
 * @param environment what Caddy has as its environment. Without it, and for what is not in it, `{$NAME}` stays as it is;
 *   the environment of this program is none of a Caddyfile's business
 * @throws {StartError} with the line of what cannot be read
 */
export function readCaddyfile(path: string, environment: ReadonlyMap<string, string> | null): Caddyfile {
  const file = existing(path);
  if (file === null) throw new StartError(`${path} is not there. Name the Caddyfile.`);
  const left = { bytes: TEXT_MAX_BYTES, files: FILES_MAX, tokens: TOKENS_MAX };
  const reader: Reader = { root: dirname(file), environment, snippets: new Map(), left };
  const into: Caddyfile = { options: [], sites: [] };
  readTop(reader, { tokens: readTokens(reader, file, '', null), next: 0, imports: 0 }, into);
  return into;
}

/** The values in a file with a line NAME=value for each, as Caddy's `--envfile` and Docker's `env_file` have them. @throws {StartError} */
export function readEnvironment(file: string): ReadonlyMap<string, string> {
  const text = readText(file, TEXT_MAX_BYTES);
  if (text === null)
    throw new StartError(`${file} cannot be read. --env-file names a file with a line NAME=value for each.`);
  return new Map(Object.entries(parseEnv(text)).map(([name, value]) => [name, value ?? '']));
}

const is = (token: Token | undefined, text: string): boolean => token?.text === text && !token.isQuoted;

/** The words that are left of a line, or up to a brace. */
function restOfLine(cursor: Cursor): Token[] {
  const words: Token[] = [];
  for (;;) {
    const token = cursor.tokens[cursor.next];
    if (token === undefined || is(token, '{') || is(token, '}') || (words.length > 0 && token.startsLine)) return words;
    words.push(token);
    cursor.next += 1;
  }
}

function readTop(reader: Reader, cursor: Cursor, into: Caddyfile): void {
  for (let first = cursor.tokens[cursor.next]; first !== undefined; first = cursor.tokens[cursor.next]) {
    if (is(first, '}')) throw faultAt(first.at, 'a } ends nothing.');
    if (is(first, 'import')) {
      const words = restOfLine(cursor);
      const found = imported(reader, words, cursor.imports);
      if (found === null) into.sites.push({ addresses: [], directives: [{ words, block: null, at: first.at }] });
      else for (const tokens of found) readTop(reader, { tokens, next: 0, imports: cursor.imports + 1 }, into);
      continue;
    }
    const addresses = readAddresses(cursor);
    const [name = ''] = addresses.map(({ text }) => text);
    if (/^\(.*\)$/.test(name) && addresses.length === 1)
      reader.snippets.set(name.slice(1, -1), braced(cursor, first.at));
    else if (is(cursor.tokens[cursor.next], '{')) {
      const directives = readBlock(reader, cursor, 1);
      if (addresses.length === 0) into.options.push(...directives);
      else into.sites.push({ addresses, directives });
    } else into.sites.push({ addresses, directives: readLines(reader, cursor, 0) });
  }
}

/** They go on in the next line after a comma. */
function readAddresses(cursor: Cursor): Token[] {
  const all: Token[] = [];
  do all.push(...restOfLine(cursor));
  while (all.at(-1)?.text.endsWith(',') === true && cursor.tokens[cursor.next] !== undefined && !atBrace(cursor));
  return all.flatMap((token) => token.text.split(',').flatMap((text) => (text === '' ? [] : [{ ...token, text }])));
}

const atBrace = ({ tokens, next }: Cursor): boolean => is(tokens[next], '{') || is(tokens[next], '}');

/** What stands between braces, as it is. */
function braced(cursor: Cursor, at: Place): Token[] {
  if (!is(cursor.tokens[cursor.next], '{')) throw faultAt(at, 'a snippet is followed by a block in braces.');
  const start = (cursor.next += 1);
  for (let open = 1; ; cursor.next += 1) {
    const token = cursor.tokens[cursor.next];
    if (token === undefined) throw faultAt(at, 'a { has no } that ends it.');
    open += is(token, '{') ? 1 : is(token, '}') ? -1 : 0;
    if (open > 0) continue;
    cursor.next += 1;
    return cursor.tokens.slice(start, cursor.next - 1);
  }
}

function readBlock(reader: Reader, cursor: Cursor, depth: number): Directive[] {
  const open = cursor.tokens[cursor.next];
  if (open === undefined) return [];
  if (depth > NESTING_MAX) throw faultAt(open.at, `more than ${NESTING_MAX} blocks are within each other.`);
  cursor.next += 1;
  const inner = cursor.tokens[cursor.next];
  if (inner !== undefined && !inner.startsLine) throw faultAt(open.at, 'after { comes a new line.');
  const directives = readLines(reader, cursor, depth);
  if (cursor.tokens[cursor.next] === undefined) throw faultAt(open.at, 'a { has no } that ends it.');
  cursor.next += 1;
  const after = cursor.tokens[cursor.next];
  if (after !== undefined && !after.startsLine) throw faultAt(after.at, 'after } comes a new line.');
  return directives;
}

/** Up to the brace that ends them, or the end of the file. */
function readLines(reader: Reader, cursor: Cursor, depth: number): Directive[] {
  const lines: Directive[] = [];
  for (let first = cursor.tokens[cursor.next]; first !== undefined; first = cursor.tokens[cursor.next]) {
    if (is(first, '}')) {
      if (depth === 0) throw faultAt(first.at, 'a } ends nothing.');
      return lines;
    }
    if (is(first, '{')) throw faultAt(first.at, 'a { follows no directive.');
    const words = restOfLine(cursor);
    const isImport = is(first, 'import');
    const opens = is(cursor.tokens[cursor.next], '{') && cursor.tokens[cursor.next]?.startsLine === false;
    const block = opens ? readBlock(reader, cursor, depth + 1) : null;
    const found = isImport && block === null ? imported(reader, words, cursor.imports) : null;
    if (found === null) lines.push({ words, block, at: first.at });
    for (const tokens of found ?? []) {
      // As deep as where it is imported, so that imports and blocks together have one bound.
      const within: Cursor = { tokens, next: 0, imports: cursor.imports + 1 };
      lines.push(...readLines(reader, within, depth));
      const rest = within.tokens[within.next];
      if (rest !== undefined) throw faultAt(rest.at, 'a } ends nothing.');
    }
  }
  return lines;
}

/** The words of what a line imports; null: that is not to be had. */
function imported(reader: Reader, [, name, ...args]: Token[], imports: number): Token[][] | null {
  if (name === undefined) return null;
  if (imports >= IMPORTS_WITHIN_MAX) {
    throw faultAt(name.at, `more than ${IMPORTS_WITHIN_MAX} imports are within each other.`);
  }
  const snippet = reader.snippets.get(name.text);
  const all = snippet === undefined ? filesAt(reader, name) : [snippet];
  return (
    all?.map((tokens) => {
      const given = withArguments(
        tokens,
        args.map(({ text }) => text),
      );
      reader.left.tokens -= given.length;
      if (reader.left.tokens < 0) throw faultAt(name.at, `the imports make more than ${TOKENS_MAX} words.`);
      return given;
    }) ?? null
  );
}

/** `{args[0]}` is the first one, `{args[:]}` all of them; what was not given stays as it is, and so is understood by no one. */
function withArguments(tokens: Token[], args: readonly string[]): Token[] {
  return tokens.flatMap((token) => {
    if (!token.text.includes('{args')) return [token];
    const range = /^\{args\[(\d{0,4}):(\d{0,4})\]\}$/.exec(token.text);
    if (range !== null) {
      const [, from = '', to = ''] = range;
      const chosen = args.slice(Number(from), to === '' ? undefined : Number(to));
      const { isQuoted, at } = token;
      return chosen.map((text, index) => ({ text, isQuoted, startsLine: token.startsLine && index === 0, at }));
    }
    const text = token.text.replaceAll(
      /\{args(?:\[(\d{1,4})\]|\.(\d{1,4}))\}/g,
      (whole, index?: string, old?: string) => args[Number(index ?? old)] ?? whole,
    );
    return [{ ...token, text }];
  });
}

/** The words of the files that a path names, with one * or ? in its last part; null: they are not to be had. */
function filesAt(reader: Reader, name: Token): Token[][] | null {
  const path = name.text;
  const last = basename(path);
  if (path.includes('\0') || /[*?[\]]/.test(dirname(path)) || /[[\]]/.test(last)) return null;
  const wanted = isAbsolute(path) ? path : join(reader.root, dirname(name.at.file), path);
  if (!/[*?]/.test(last)) {
    const tokens = fileAt(reader, wanted, name.at);
    return tokens === null ? null : [tokens];
  }
  const directory = existing(dirname(wanted));
  if (directory === null || !isWithin(reader.root, directory)) return null;
  if ((last.match(/[*?]/g) ?? []).length > 1) return null;
  const [start = '', end = ''] = last.split(/[*?]/);
  const isAny = last.includes('*');
  const fits = (each: string): boolean =>
    each.startsWith(start) &&
    each.endsWith(end) &&
    (isAny ? each.length >= last.length - 1 : each.length === last.length) &&
    (last.startsWith('.') || !each.startsWith('.'));
  const found = readdirSync(directory).filter(fits).toSorted();
  const all = found.map((each) => fileAt(reader, join(directory, each), name.at));
  return all.every((tokens) => tokens !== null) ? all : null;
}

const isWithin = (root: string, path: string): boolean => path === root || path.startsWith(`${root}${sep}`);

/** Where a path leads, its symbolic links followed; null: nowhere. */
function existing(path: string): string | null {
  try {
    return realpathSync(resolve(path));
  } catch {
    return null;
  }
}

function fileAt(reader: Reader, wanted: string, by: Place): Token[] | null {
  const path = existing(wanted);
  return path === null || !isWithin(reader.root, path)
    ? null
    : readTokens(reader, path, relative(reader.root, path), by);
}

/** @param by the line that imports the file; null: it is the Caddyfile itself */
function readTokens({ environment, left }: Reader, path: string, file: string, by: Place | null): Token[] {
  if ((left.files -= 1) < 0) throw faultAt(by ?? { file, line: 1 }, `more than ${FILES_MAX} files are read.`);
  const text = readText(path, left.bytes);
  if (text === null) throw new StartError(`${path} cannot be read as a file. Name the Caddyfile, or what it imports.`);
  left.bytes -= Buffer.byteLength(text);
  if (left.bytes < 0) {
    const line = text.split('\n').length;
    throw faultAt({ file, line }, `here it is larger than ${TEXT_MAX_BYTES / 1e6} MB, with what it imports.`);
  }
  const given = environment === null ? text : withEnvironment(file, text, environment);
  const tokens = tokensOf(file, given);
  left.tokens -= tokens.length;
  if (left.tokens < 0) throw faultAt({ file, line: 1 }, `with its imports it has more than ${TOKENS_MAX} words.`);
  return tokens;
}

/** At most one byte more than there may be; null: it is no file, or none that may be read. */
function readText(path: string, maxBytes: number): string | null {
  let descriptor: number | null = null;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!fstatSync(descriptor).isFile()) return null;
    const buffer = Buffer.alloc(maxBytes + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < buffer.length; length += read) {
      read = readSync(descriptor, buffer, length, buffer.length - length, null);
    }
    return buffer.toString('utf8', 0, length);
  } catch {
    return null;
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

/** Values are put in before the words are parted, and not looked through again; `{$NAME:value}` has a value of its own. */
function withEnvironment(file: string, text: string, environment: ReadonlyMap<string, string>): string {
  let left = TEXT_MAX_BYTES;
  return text.replaceAll(
    /\{(?:\$([^{}\s:]{1,200})(?::([^{}\n]{0,1000}))?|env\.([^{}\s]{1,200}))\}/g,
    (whole, early?: string, otherwise?: string, late?: string) => {
      const value = environment.get(early ?? late ?? '') ?? otherwise ?? whole;
      left -= value.length;
      if (left < 0) throw faultAt({ file, line: 1 }, 'the values of the environment make it too large.');
      return value;
    },
  );
}
