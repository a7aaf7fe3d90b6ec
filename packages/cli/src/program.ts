import manifest from '../package.json';
import type { Environment } from './context.ts';
import { EXIT_CODES, Failure } from './failure.ts';
import {
  ABOUT,
  AFTER_HELP,
  ENTRIES,
  GLOBAL_FLAGS,
  GROUPS,
  HELP_FLAG,
  TEXT_MIN_COLUMNS,
  VERSION_FLAG,
} from './entries.ts';

/**
 * Runs the command that `argv` (without the program's name) asks for and returns its exit code. Everything that goes
 * wrong ends as one sentence and the next step on standard error.
 */
export async function run(argv: readonly string[], environment: Environment): Promise<number> {
  try {
    const quick = quickAnswer(argv, environment.stdout);
    if (quick !== null) {
      environment.stdout.write(quick);
      await written(environment.stdout);
      return EXIT_CODES.done.code;
    }
    const { createProgram } = await import('./commandTree.ts');
    const words = argv[0] === 'help' ? [...argv.slice(1), '--help'] : argv;
    await createProgram(environment).parseAsync(words, { from: 'user' });
    await written(environment.stdout);
    return EXIT_CODES.done.code;
  } catch (error) {
    if (isOfParser(error)) return await usage(error, environment);
    const { explain } = await import('./explain.ts');
    return await tell(explain(error, environment.signal), environment);
  }
}

/** Fulfilled when all that was written is out; what was lost on the way is no success. */
const written = (stdout: Environment['stdout']) =>
  new Promise<void>((resolve, reject) => {
    stdout.write('', (error) => {
      const failure = stdout.errored ?? error;
      if (failure) reject(failure);
      else resolve();
    });
  });

type ParserError = Error & { code: string };

/** Whether the parser threw it; looked at without loading the parser. */
const isOfParser = (error: unknown): error is ParserError =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('commander.');

/** Help that was asked for, or that a bare group shows, is done; everything else is wrong usage. */
async function usage(error: ParserError, environment: Environment): Promise<number> {
  if (
    error.code === 'commander.help' ||
    error.code === 'commander.helpDisplayed' ||
    error.code === 'commander.version'
  ) {
    return EXIT_CODES.done.code;
  }
  const [sentence = '', hint] = error.message.replace(/^error: /, '').split('\n');
  const upper = `${sentence[0]?.toUpperCase() ?? ''}${sentence.slice(1)}`;
  return tell(new Failure('usage', `${upper}${/[.?!]$/.test(upper) ? '' : '.'}`, hint ?? 'See --help.'), environment);
}

/** Whatever a failure quotes of the gateway, a terminal obeys none of it. What to do next may have lines of its own. */
async function tell(failure: Failure | null, environment: Environment): Promise<number> {
  if (failure === null) return EXIT_CODES.done.code;
  if (failure.ending !== 'interrupted') {
    const { printable } = await import('@sallyport/sdk/lines');
    const next = failure.next === null ? '' : ` ${failure.next.split('\n').map(printable).join('\n')}`;
    environment.stderr.write(`sallyport: ${printable(failure.message)}${next}\n`);
  }
  return EXIT_CODES[failure.ending].code;
}

const HELP_WORDS = new Set(['-h', '--help', 'help']);
const VERSION_WORDS = new Set(['-v', '--version']);
/** Where no terminal says how wide it is. */
const PIPED_COLUMNS = 80;

/** What is asked for first and most often is answered without loading the parser; null: it is something else. */
function quickAnswer(argv: readonly string[], stdout: Environment['stdout']): string | null {
  const [word = '--help', ...more] = argv;
  if (more.length > 0) return null;
  if (VERSION_WORDS.has(word)) return `${manifest.version}\n`;
  return HELP_WORDS.has(word) ? topHelp((stdout.isTTY === true && stdout.columns) || PIPED_COLUMNS) : null;
}

type Row = readonly [term: string, text: string];

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
