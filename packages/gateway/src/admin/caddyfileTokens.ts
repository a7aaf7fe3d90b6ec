import { printable } from '@sallyport/sdk/lines';
import { StartError } from '../machine/startError.ts';

/** Where something stands: a file below the Caddyfile's directory ('' is the Caddyfile itself), and a line from 1 on. */
export type Place = { file: string; line: number };

/** A word of a Caddyfile, without its quotes. */
export type Token = {
  text: string;
  /** A brace in quotes is no brace. */
  isQuoted: boolean;
  startsLine: boolean;
  at: Place;
};

/** No word that means anything is longer; one that is would only fill the screen. */
const WORD_MAX_CHARS = 10_000;

/** A place in words. */
export const placeText = ({ file, line }: Place): string => `${file === '' ? '' : `${file}, `}line ${line}`;

/** What cannot be read, and where. */
export const faultAt = (at: Place, text: string): StartError =>
  new StartError(printable(`The Caddyfile cannot be read: ${placeText(at)}: ${text}`));

/**
 * Parts the text of a Caddyfile into its words, as Caddy does: at spaces, with quotes, backquotes, heredocs, comments and
 * lines that go on after a backslash.
 * @throws {StartError} with the line of what cannot be read
 */
export function tokensOf(file: string, text: string): Token[] {
  const tokens: Token[] = [];
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  let line = 1;
  let startsLine = true;
  const add = (word: string, isQuoted: boolean, end: number): void => {
    const place = { file, line };
    if (word.length > WORD_MAX_CHARS) throw faultAt(place, `a word is longer than ${WORD_MAX_CHARS} characters.`);
    tokens.push({ text: word, isQuoted, startsLine, at: place });
    // A word without quotes goes over no end of a line.
    if (isQuoted) line += text.slice(at, end).split('\n').length - 1;
    startsLine = false;
    at = end;
  };
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === '\n') {
      line += 1;
      startsLine = true;
      at += 1;
    } else if (/\s/.test(character)) at += 1;
    else if (character === '#') at = endOfLine(text, at);
    else if (goesOn(text, at)) {
      at = text.indexOf('\n', at) + 1;
      line += 1;
    } else if (character === '"' || character === '`') {
      const end = endOfQuotes(text, at);
      if (end === -1) throw faultAt({ file, line }, `a ${character} has no other one that ends it.`);
      const inner = text.slice(at + 1, end);
      add(character === '"' ? inner.replaceAll('\\"', '"') : inner, true, end + 1);
    } else if (text.startsWith('<<', at)) {
      const { word, end } = heredoc(text, at, { file, line });
      add(word, true, end);
    } else {
      let end = at;
      while (end < text.length && !/\s/.test(text.charAt(end)) && !goesOn(text, end)) end += 1;
      add(text.slice(at, end).replace(/^\\</, '<'), false, end);
    }
  }
  return tokens;
}

/** Whether a backslash there takes the next line to this one. */
const goesOn = (text: string, at: number): boolean =>
  text.charAt(at) === '\\' && /^\\\r?\n/.test(text.slice(at, at + 3));

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

/** Only a quote can be escaped, and only in double quotes; -1: nothing ends it. */
function endOfQuotes(text: string, from: number): number {
  const quote = text.charAt(from);
  for (let at = from + 1; at < text.length; at += 1) {
    if (quote === '"' && text.charAt(at) === '\\') at += 1;
    else if (text.charAt(at) === quote) return at;
  }
  return -1;
}

/** The lines up to one that begins with the marker. */
function heredoc(text: string, from: number, place: Place): { word: string; end: number } {
  const first = endOfLine(text, from);
  const marker = text.slice(from + 2, first).trim();
  if (!/^[\w-]{1,100}$/.test(marker)) throw faultAt(place, 'after << comes one word, and then a new line.');
  for (let start = first + 1; start < text.length; start = endOfLine(text, start) + 1) {
    let at = start;
    while (at < text.length && /[ \t]/.test(text.charAt(at))) at += 1;
    if (text.startsWith(marker, at)) return { word: text.slice(first + 1, start), end: at + marker.length };
  }
  throw faultAt(place, `<<${marker} has no line ${marker} that ends it.`);
}
