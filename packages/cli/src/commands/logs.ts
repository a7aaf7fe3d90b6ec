import {
  type ApiError,
  type LogQuery,
  type StreamState,
  type StreamStateDetails,
  CALL_TIMEOUT_MS,
  levelOf,
} from '@sallyport/sdk';
import { LOG_BACKLOG_LINES, field, logQuery } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { type Context, command } from '../context.ts';
import { findService } from '../find.ts';
import { Failure } from '../failure.ts';
import { logWriter, streamNews } from '../ui/logWriter.ts';

const { domain, type, lines: history } = logQuery.shape;

/** From the least to the most important. */
const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

const flags = z.strictObject({
  service: z.optional(z.string()),
  domain,
  node: z.optional(z.string()),
  type,
  follow: z.optional(z.boolean()),
  lines: history,
  level: z.optional(field.oneOf(LEVELS)),
  grep: z.optional(z.string()),
});
type Flags = z.output<typeof flags>;

export const logs = command({
  description: `Show the log of a service or a domain: its last ${LOG_BACKLOG_LINES} lines or as many as --lines says, with --follow each new one too.`,
  flags,
  help: {
    service: { text: 'the service, by its name or id', value: 'name|id' },
    domain: { text: 'the domain, for the lines of all its services', value: 'name' },
    node: { text: 'look for the service on this node', value: 'name|id' },
    type: { text: 'look for a service of this type' },
    follow: { text: 'go on with each new line, until Ctrl+C' },
    lines: { text: 'at most so many lines of the history' },
    level: { text: 'only lines of this level or a worse one' },
    grep: { text: 'only lines that match this regular expression', value: 'pattern' },
  },
  examples: [
    'sallyport logs --service web --follow',
    'sallyport logs --domain app.example.com --level warn --lines 20',
    'sallyport logs --service web --follow --json | jq -r .line',
  ],
  async run(context, given) {
    const filter = filterOf(given);
    const query = await whoseLines(context, given);
    await stream(context, query, given, filter);
  },
});

/** The query of the log stream for what was asked for. */
async function whoseLines(context: Context, given: Flags): Promise<LogQuery> {
  const { service, domain: name } = given;
  if ((service === undefined) === (name === undefined)) {
    throw new Failure('usage', 'Say whose log: either --service or --domain.', 'See --help.');
  }
  if (name !== undefined) {
    if (given.node !== undefined || given.type !== undefined) {
      throw new Failure('usage', '--node and --type tell services apart; a domain has neither.', 'Leave them out.');
    }
    return { domain: name };
  }
  const found = await findService(context, { service: service ?? '', node: given.node, type: given.type });
  return { type: found.type, id: found.id };
}

/** Whether a line is wanted. */
function filterOf({ level, grep }: Flags): (line: string) => boolean {
  const pattern = grep === undefined ? undefined : patternOf(grep);
  const least = level === undefined ? undefined : LEVELS.indexOf(level);
  return (line) => {
    if (pattern && !pattern.test(line)) return false;
    if (least === undefined) return true;
    const found = levelOf(line)?.toLowerCase();
    return LEVELS.findIndex((name) => name === found) >= least;
  };
}

function patternOf(text: string): RegExp {
  try {
    return new RegExp(text, 'u');
  } catch (error) {
    throw new Failure(
      'usage',
      `--grep: "${text}" is not a regular expression.`,
      'Put a \\ before signs that are meant literally.',
      { cause: error },
    );
  }
}

/** Reads the stream and prints it, as fast as standard output takes it. */
async function stream(
  context: Context,
  query: LogQuery,
  { follow, lines = LOG_BACKLOG_LINES }: Flags,
  isWanted: (line: string) => boolean,
): Promise<void> {
  const { io, signal } = context;
  const client = await context.client();
  const connection = createConnection(context, follow === true);
  const write = logWriter(context);
  // The first batch is the history, also when there is none. A filter has at least the usual part of it to look at.
  const wanted = { ...query, lines: Math.max(lines, LOG_BACKLOG_LINES) };
  for await (const batch of client.log.watch(
    { query: wanted },
    // Who wants the history alone waits for it as for any other answer.
    { signal: connection.signal, onState: connection.onState, ...(follow ? {} : { idleTimeoutMs: CALL_TIMEOUT_MS }) },
  )) {
    const found = batch.filter((line) => line !== '' && isWanted(line));
    const shown = connection.takeHistory() ? found.slice(Math.max(0, found.length - lines)) : found;
    if (shown.length > 0) await io.print(shown.map(write).join(''));
    if (!follow) break;
  }
  signal.throwIfAborted();
  connection.throwIfFailed();
}

/** Follows the state of the stream: says what happens to it, and ends it when going on is of no use. */
function createConnection({ io, signal }: Context, follow: boolean) {
  const stop = new AbortController();
  let failure: ApiError | null = null;
  let wasOpen = false;
  let historyIsNext = true;
  const tell = streamNews(io);

  const onState = (state: StreamState, details: StreamStateDetails) => {
    if (state === 'open') {
      historyIsNext = !details.resumed;
      wasOpen = true;
    }
    // A gateway that was never there is an error; one that was will come back.
    if (state === 'waiting' && !(wasOpen && follow)) {
      failure = details.error;
      stop.abort();
    } else tell(state, details);
  };
  return {
    signal: AbortSignal.any([signal, stop.signal]),
    onState,
    throwIfFailed: () => {
      if (failure) throw failure;
    },
    /** Whether the batch at hand is the history; it is so once for each connection that begins again. */
    takeHistory: () => {
      const is = historyIsNext;
      historyIsNext = false;
      return is;
    },
  };
}
