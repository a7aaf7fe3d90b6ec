import { ABOUT, AFTER_HELP, ENTRIES, GLOBAL_FLAGS, GROUPS, HELP_FLAG, VERSION_FLAG } from './entries.ts';

type Row = readonly [term: string, text: string];

/** A narrower column of text is harder to read than lines that the terminal breaks. */
const TEXT_MIN_COLUMNS = 40;

/**
 * The help of the whole program for lines of so many `columns`. It is the text that the parser would print, which a test
 * compares, at half the price: the parser is most of what a short command has to load.
 */
export function topHelp(columns: number): string {
  const options = [VERSION_FLAG, ...GLOBAL_FLAGS, HELP_FLAG];
  const commands = commandRows();
  const termColumns = Math.max(...[...options, ...commands].map(([term]) => term.length));
  const list = (rows: readonly Row[]) => rows.map((row) => itemOf(row, termColumns, columns)).join('\n');
  return `Usage: sallyport [options] [command]

${wrapped(ABOUT, columns).join('\n')}

Options:
${list(options)}

Commands:
${list(commands)}

${AFTER_HELP}
`;
}

/** What may be the first word: the commands and the groups, in the order of the entries. */
function commandRows(): Row[] {
  const rows = ENTRIES.map(({ path: [first, ...rest], summary }): Row => [
    first,
    rest.length === 0 ? summary : (GROUPS[first] ?? ''),
  ]);
  return [...new Map(rows)];
}

function itemOf([term, text]: Row, termColumns: number, columns: number): string {
  const indent = termColumns + 4;
  const room = columns - indent;
  const lines = room < TEXT_MIN_COLUMNS ? [text] : wrapped(text, room);
  return `  ${term.padEnd(termColumns)}  ${lines.join(`\n${' '.repeat(indent)}`)}`;
}

/** Breaks a text between words. */
function wrapped(text: string, columns: number): string[] {
  if (columns < TEXT_MIN_COLUMNS) return [text];
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= columns) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
