import type { Directive } from './caddyfile.ts';
import { type Place, placeText } from './caddyfileTokens.ts';
import type { Matcher } from './caddyMatchers.ts';

const setOf = (names: string): ReadonlySet<string> => new Set(names.split(' '));

/** Directives that show or hide nothing of what is behind them. What is named nowhere here may protect it. */
const HARMLESS = setOf(
  'encode header log log_skip log_append log_name skip_log tracing metrics push request_body root vars map fs handle_errors copy_response copy_response_headers tls',
);
const CONTAINERS = setOf('handle handle_path route');
/** They answer by themselves. */
const ANSWERS = setOf('abort error respond redir');
/** They change the request before it reaches a backend. */
const CHANGES = setOf('rewrite uri method try_files');
/** They answer with what is not to be had here. */
const OTHER_BACKENDS: ReadonlyMap<string, string> = new Map([
  ['file_server', 'this gateway serves no files'],
  ['php_fastcgi', 'this gateway speaks HTTP with backends, not FastCGI'],
  ['acme_server', 'this gateway is no certificate authority for others'],
]);

export const nameOf = ({ words }: Directive): string => words[0]?.text ?? '';

/** What a directive is to an import. */
export function kindOf(
  line: Directive,
): 'harmless' | 'container' | 'answer' | 'change' | 'proxy' | 'otherBackend' | 'protection' {
  const name = nameOf(line);
  if (name.startsWith('@') || HARMLESS.has(name)) return 'harmless';
  if (CONTAINERS.has(name)) return 'container';
  if (ANSWERS.has(name)) return 'answer';
  if (CHANGES.has(name)) return 'change';
  if (name === 'reverse_proxy') return 'proxy';
  return OTHER_BACKENDS.has(name) ? 'otherBackend' : 'protection';
}

/** Why what such a directive answers with is not taken in. */
export const otherBackendText = (line: Directive): string => OTHER_BACKENDS.get(nameOf(line)) ?? '';

/** Whether a site tells browsers to come by HTTPS alone. */
export const promisesHttps = (lines: readonly Directive[]): boolean =>
  lines.some(
    (line) =>
      (nameOf(line) === 'header' &&
        [line, ...(line.block ?? [])].some(({ words }) =>
          words.some(({ text }) => /^[+?>]?strict-transport-security$/i.test(text)),
        )) ||
      promisesHttps(CONTAINERS.has(nameOf(line)) ? (line.block ?? []) : []),
  );

/** Why what is behind a directive is closed; null: it keeps nothing from anyone. */
export function protectionText(line: Directive): string | null {
  const name = nameOf(line);
  const at = placeText(line.at);
  const values = line.words.slice(1).map(({ text }) => text);
  if (name === 'tls') {
    const asks = line.block?.some((each) => nameOf(each) === 'client_auth') === true;
    return asks ? `${at}: client_auth asks visitors for a certificate, which this gateway does not` : null;
  }
  if (name === 'bind' || name === 'default_bind') {
    const isPublic = values.every((address) => ['0.0.0.0', '::', '[::]'].includes(address));
    return isPublic ? null : `${at}: it is served at ${values.join(' ')} alone`;
  }
  if (/^basic_?auth$/.test(name)) return `${at}: ${name} asks for a password, which this gateway does not`;
  if (name === 'import')
    return `${at}: ${values[0] ?? 'what it imports'} is no snippet, and no file below the Caddyfile's directory`;
  return `${at}: ${name} is not to be had here, and may protect it`;
}

/** A variable of Caddy's environment that a directive needs and that is not known; null: none. */
export function unsetIn(line: Directive, isDeep: boolean): string | null {
  for (const { text } of line.words) {
    const [found] = /\{\$[^}]{1,200}\}/.exec(text) ?? [];
    if (found !== undefined) return found;
  }
  for (const each of isDeep ? (line.block ?? []) : []) {
    const found = unsetIn(each, true);
    if (found !== null) return found;
  }
  return null;
}

/** The one answer that a block gives to all of its requests; null: there is more in it. */
export function onlyAnswerOf({ block }: Directive): Directive | null {
  const [first, ...others] = (block ?? []).filter((line) => kindOf(line) !== 'harmless');
  return first !== undefined && others.length === 0 && kindOf(first) === 'answer' && !hasMatcher(first) ? first : null;
}

/** Whether it is for some of the requests alone. */
const hasMatcher = ({ words: [, first] }: Directive): boolean =>
  first !== undefined && !first.isQuoted && /^[/@]/.test(first.text);

/** Whether an answer is for all requests that reach it. */
export const answersAll = (line: Directive): boolean => kindOf(line) === 'answer' && !hasMatcher(line);

/** Whether an answer refuses what was asked for, as far as that can be told. */
export function refuses(line: Directive): boolean {
  const status = line.words.slice(1).find(({ text }) => /^\d{3}$/.test(text));
  return nameOf(line) === 'redir' ? false : nameOf(line) !== 'respond' || Number(status?.text ?? 200) >= 400;
}

/** Why what a matcher is for cannot be told from the rest. */
export const comparesText = ({ other }: Matcher, at: Place): string =>
  `${placeText(at)}: it compares ${other === null ? 'paths in a way' : other}, which this gateway does not`;
