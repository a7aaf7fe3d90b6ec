import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { addAbortSignal, type Readable, Writable } from 'node:stream';
import { inspect, styleText } from 'node:util';
import { printable } from '@sallyport/sdk/lines';
import { Failure } from './failure.ts';

/** Where input comes from; a terminal or not. */
export type Input = Readable & { isTTY?: boolean };
/** Where output goes; a terminal or not. */
export type Output = Writable & { isTTY?: boolean; columns?: number };

/** The three standard streams of a process. */
export type Streams = { stdin: Input; stdout: Output; stderr: Output };

/** The colours that carry a meaning; each also has a word, so that none is lost without them. */
export type Tone = 'red' | 'yellow' | 'blue' | 'green' | 'dim' | 'bold';

/** A password or a token: every way of printing it says `[redacted]`. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The text itself, for the one place that sends or stores it. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[redacted]';
  }

  toJSON(): string {
    return '[redacted]';
  }

  [inspect.custom](): string {
    return '[redacted]';
  }
}

/** What the global flags say about talking to the user. */
export type IoOptions = { json?: boolean | undefined; quiet?: boolean | undefined; input: boolean; color: boolean };

const STDIN_MAX_BYTES = 65_536;

/** How a command talks: results to standard output, everything else to standard error. */
export type Io = ReturnType<typeof createIo>;

/** Makes the `Io` of one run. `signal` ends a wait for a slow reader or for an answer. */
export function createIo(
  streams: Streams,
  env: Record<string, string | undefined>,
  options: IoOptions,
  signal: AbortSignal,
) {
  const { stdin, stdout, stderr } = streams;
  const coloured = (output: Output) => options.color && wantsColour(output, env);

  let isDrawing = false;
  const canAsk = options.input && stdin.isTTY === true && stderr.isTTY === true;

  /** Writes to standard output and, when the reader is slow, waits for it: memory stays constant. */
  async function print(text: string | Uint8Array): Promise<void> {
    signal.throwIfAborted();
    if (!stdout.write(text)) await once(stdout, 'drain', { signal });
  }

  /** @param missing what to say when the input ends instead of an answer */
  async function question(
    text: string,
    output: Output,
    hint = '',
    missing = `No ${text} was entered.`,
  ): Promise<string> {
    if (!canAsk) {
      throw new Failure(
        'usage',
        `There is no terminal to ask for the ${text}.`,
        'Give it by a flag or the environment; see --help.',
      );
    }
    const prompt = printable(`${text[0]?.toUpperCase() ?? ''}${text.slice(1)}${hint}: `);
    // Before the question is there, the terminal has stopped to echo: no one can type too early.
    const lines = createInterface({ input: stdin, output, terminal: true });
    if (output !== stderr) stderr.write(prompt);
    // At the end of the input some versions of Node reject the question, others only close.
    const ended = () => {
      throw new Failure('usage', missing, 'Run the command again.');
    };
    let isAnswered = false;
    try {
      const answer = await Promise.race([
        lines.question(output === stderr ? prompt : '', { signal }).catch(ended),
        once(lines, 'close').then(ended),
        once(lines, 'SIGINT').then(() => {
          throw new Failure('interrupted', 'Interrupted.');
        }),
      ]);
      isAnswered = true;
      return answer;
    } finally {
      lines.close();
      // The end of the line is drawn with an answer that is seen, and with no other.
      if (output !== stderr || !isAnswered) stderr.write('\n');
    }
  }

  return {
    streams,
    /** Whether standard output is a terminal. */
    isTerminal: stdout.isTTY === true,
    /** Whether standard input is a terminal. */
    stdinIsTerminal: stdin.isTTY === true,
    /** Whether someone sits at the terminal, who could be asked. */
    canAsk,
    hasColour: coloured(stdout),
    columns: () => stdout.columns || 80,
    print,
    /** Prints a document for programs, if `--json` asks for it. */
    answer: async (document: object): Promise<void> => {
      if (options.json) await print(jsonText(document, 2));
    },
    /** A message about what goes on, in one or more lines of which a terminal obeys nothing; nothing with `--quiet`. */
    say(...lines: string[]): void {
      if (!options.quiet && !isDrawing) stderr.write(lines.map((line) => `${printable(line)}\n`).join(''));
    },
    /** Tells of something that went wrong next to what the command ends with, also with `--quiet`. */
    warn(sentence: string): void {
      stderr.write(`sallyport: ${printable(sentence)}\n`);
    },
    /** Says nothing while `work` has the whole terminal, and tells everything itself. */
    async drawing<T>(work: () => Promise<T>): Promise<T> {
      isDrawing = true;
      try {
        return await work();
      } finally {
        isDrawing = false;
      }
    },
    /** A file, or standard input, which ends by an error when the run is interrupted. */
    input: (file?: string): Readable => addAbortSignal(signal, file === undefined ? stdin : createReadStream(file)),
    /** Colours a text for standard output, if that shows colours. */
    paint: (tone: Tone, text: string): string =>
      coloured(stdout) ? styleText(tone, text, { validateStream: false }) : text,
    /** Asks at the terminal; the answer without surrounding blanks. */
    ask: async (text: string): Promise<string> => (await question(text, stderr)).trim(),
    /** Asks at the terminal; an empty answer, or no one to ask, means `otherwise`. */
    async askOr(text: string, otherwise: string): Promise<string> {
      if (!canAsk) return otherwise;
      return (await question(text, stderr, ` [${otherwise}]`)).trim() || otherwise;
    },
    /** Asks at the terminal for a yes; anything else is a no. */
    confirm: async (text: string): Promise<boolean> =>
      /^y(es)?$/i.test((await question(text, stderr, ' [y/N]', 'The question was not answered.')).trim()),
    /** Asks at the terminal without showing what is typed. */
    askSecret: async (text: string): Promise<Secret> => new Secret(await question(text, nowhere())),
    /** Reads all of standard input, without the line end that `echo` adds. */
    async readSecret(): Promise<Secret> {
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of addAbortSignal(signal, stdin)) {
        const part = Buffer.from(chunk);
        bytes += part.length;
        if (bytes > STDIN_MAX_BYTES) {
          throw new Failure('usage', 'Standard input holds far more than a password.', 'Pipe only the password in.');
        }
        chunks.push(part);
      }
      return new Secret(
        Buffer.concat(chunks)
          .toString('utf8')
          .replace(/\r?\n$/, ''),
      );
    },
  };
}

/** Swallows the echo of what is typed. */
const nowhere = (): Output => new Writable({ write: (_chunk, _encoding, done) => done() });

/** https://no-color.org: set to anything but nothing, it forbids colours. */
function wantsColour(output: Output, env: Record<string, string | undefined>): boolean {
  if (env['NO_COLOR']) return false;
  if (env['FORCE_COLOR']) return env['FORCE_COLOR'] !== '0';
  return output.isTTY === true && env['TERM'] !== 'dumb';
}

/** The number that every JSON output carries. Fields are only ever added within one version. */
export const JSON_VERSION = 1;

// JSON leaves these as they are, and a terminal may obey them: C1 controls, separators of lines, marks that reorder text.
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** JSON that is safe to look at; on one line unless `indent` is given. */
export const safeJson = (value: unknown, indent?: number): string =>
  `${JSON.stringify(value, null, indent).replace(
    UNSAFE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )}\n`;

/** A document of the command line, with the version of its shape in front; on one line unless `indent` is given. */
export const jsonText = (value: object, indent?: number): string =>
  safeJson({ version: JSON_VERSION, ...value }, indent);

/** So long no one wonders what a command is waiting for. */
const PATIENCE_MS = 2000;

/** Does work; when it has not ended after two seconds, `say` tells what is waited for. */
export async function reportSlow<T>(say: (sentence: string) => void, sentence: string, work: Promise<T>): Promise<T> {
  const timer = setTimeout(() => say(sentence), PATIENCE_MS);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}

type Fetch = (request: Request) => Promise<Response>;

/**
 * Has the requests of a run tell when their gateway does not answer: once, and again only when it has answered in between, since some
 * commands go on asking for days.
 */
export function createProgress(say: (sentence: string) => void): (fetch: Fetch) => Fetch {
  let isTold = false;
  const sayOnce = (sentence: string) => {
    if (!isTold) say(sentence);
    isTold = true;
  };
  return (fetch) => async (request) => {
    const reply = await reportSlow(sayOnce, `Waiting for ${new URL(request.url).origin} to answer …`, fetch(request));
    isTold = false;
    return reply;
  };
}
