/** A directive with its words; `block` is null when it ends with a semicolon. */
export type Directive = { words: string[]; block: Directive[] | null };

/**
 * nginx's own reading of a configuration: words, quotes, comments, braces.
 * @throws {Error} when nginx would not understand it
 */
export function parse(text: string): Directive[] {
  const tokens = [
    ...text.matchAll(/\s+|#[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[{};]|(?:\\.|[^\s;{}"'\\]|\$\{)+/gsu),
  ];
  if (tokens.map(([token]) => token).join('') !== text) throw new Error('there are characters that belong to no word');
  const words = tokens.map(([token]) => token).filter((token) => !/^(?:\s|#)/.test(token));
  let at = 0;
  const level = (nested: boolean): Directive[] => {
    const found: Directive[] = [];
    let current: string[] = [];
    for (;;) {
      const word = words[at++];
      if (word === undefined || word === '}') {
        if ((word === '}') !== nested || current.length > 0) throw new Error(`misplaced end: ${current.join(' ')}`);
        return found;
      }
      if (word === ';' || word === '{') {
        if (current.length === 0) throw new Error('an empty directive');
        found.push({ words: current, block: word === '{' ? level(true) : null });
        current = [];
      } else current.push(word);
    }
  };
  return level(false);
}
