import manifest from '../package.json' with { type: 'json' };
import type { Environment } from './context.ts';
import { EXIT_CODES, Failure } from './failure.ts';
import { topHelp } from './topHelp.ts';

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
