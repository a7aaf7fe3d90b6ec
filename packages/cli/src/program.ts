import manifest from '../package.json' with { type: 'json' };
import type { Outside } from './context.ts';
import { ENDINGS, Failure } from './failure.ts';
import { topHelp } from './topHelp.ts';

/**
 * Runs the command that `argv` (without the program's name) asks for and returns its exit code. Everything that goes
 * wrong ends as one sentence and the next step on standard error.
 */
export async function run(argv: readonly string[], outside: Outside): Promise<number> {
  try {
    const quick = quickAnswer(argv, outside.stdout);
    if (quick !== null) {
      outside.stdout.write(quick);
      await written(outside.stdout);
      return ENDINGS.done.code;
    }
    const { createProgram } = await import('./commandTree.ts');
    const words = argv[0] === 'help' ? [...argv.slice(1), '--help'] : argv;
    await createProgram(outside).parseAsync(words, { from: 'user' });
    await written(outside.stdout);
    return ENDINGS.done.code;
  } catch (error) {
    if (isOfParser(error)) return await usage(error, outside);
    const { explain } = await import('./explain.ts');
    return await tell(explain(error, outside.signal), outside);
  }
}

/** Fulfilled when all that was written is out; what was lost on the way is no success. */
const written = (stdout: Outside['stdout']) =>
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
async function usage(error: ParserError, outside: Outside): Promise<number> {
  if (
    error.code === 'commander.help' ||
    error.code === 'commander.helpDisplayed' ||
    error.code === 'commander.version'
  ) {
    return ENDINGS.done.code;
  }
  const [sentence = '', hint] = error.message.replace(/^error: /, '').split('\n');
  const upper = `${sentence[0]?.toUpperCase() ?? ''}${sentence.slice(1)}`;
  return tell(new Failure('usage', `${upper}${/[.?!]$/.test(upper) ? '' : '.'}`, hint ?? 'See --help.'), outside);
}

/** Whatever a failure quotes of the gateway, a terminal obeys none of it. What to do next may have lines of its own. */
async function tell(failure: Failure | null, outside: Outside): Promise<number> {
  if (failure === null) return ENDINGS.done.code;
  if (failure.ending !== 'interrupted') {
    const { printable } = await import('@sallyport/sdk/lines');
    const next = failure.next === null ? '' : ` ${failure.next.split('\n').map(printable).join('\n')}`;
    outside.stderr.write(`sallyport: ${printable(failure.message)}${next}\n`);
  }
  return ENDINGS[failure.ending].code;
}

const HELP_WORDS = new Set(['-h', '--help', 'help']);
const VERSION_WORDS = new Set(['-v', '--version']);
/** Where no terminal says how wide it is. */
const PIPED_COLUMNS = 80;

/** What is asked for first and most often is answered without loading the parser; null: it is something else. */
function quickAnswer(argv: readonly string[], stdout: Outside['stdout']): string | null {
  const [word = '--help', ...more] = argv;
  if (more.length > 0) return null;
  if (VERSION_WORDS.has(word)) return `${manifest.version}\n`;
  return HELP_WORDS.has(word) ? topHelp((stdout.isTTY === true && stdout.columns) || PIPED_COLUMNS) : null;
}
