import * as z from 'zod/mini';
import { boundedText, printable, REPLY_MAX_BYTES } from '@sallyport/sdk';
import { field } from '@sallyport/sdk/contract';
import { command, type Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { safeJson } from '../io.ts';

const METHODS = ['GET', 'POST', 'PATCH', 'DELETE'] as const;

export const api = command({
  description:
    'Send any request to the gateway, signed in as this profile, and print its reply as it is; /api/openapi.json lists what there is. A reply other than 2xx ends as it does for every command.',
  flags: z.strictObject({
    method: field.oneOf(METHODS),
    path: z.string(),
    data: z.optional(z.string()),
  }),
  words: ['method', 'path'],
  help: {
    method: { text: 'the method' },
    path: { text: 'the path, with its query' },
    data: { text: 'the JSON to send: of a file, or with - of standard input', value: '@file|-' },
  },
  examples: [
    "sallyport api GET '/api/nodes?limit=2'",
    'sallyport api POST /api/nodes --data @node.json',
    'echo \'{"name":"attic"}\' | sallyport api PATCH /api/nodes/2 --data -',
  ],
  async run(context, { method, path, data }) {
    if (!/^\/(?![/\\])[^\s\\{}]*$/.test(path)) {
      throw new Failure('usage', `"${path}" is not a path of the gateway.`, 'Give one like /api/nodes.');
    }
    const body = data === undefined ? undefined : await jsonBody(context, data);
    await context.request({ method, path, ...(body === undefined ? {} : { body }) }, (reply) =>
      printReply(context, reply),
    );
  },
});

/** A program gets every byte as it came; a terminal gets JSON to look at, and nothing that it could obey. */
async function printReply({ io, signal }: Context, reply: Response): Promise<void> {
  if (!reply.body) return;
  const isEvents = reply.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (io.isTerminal && !isEvents) return io.print(readable(await shownText(reply, signal)));
  const decoder = new TextDecoder();
  const reader = reply.body.getReader();
  signal.addEventListener('abort', () => void reader.cancel().catch(() => undefined), { once: true });
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    await io.print(io.isTerminal ? safe(decoder.decode(read.value, { stream: true })) : read.value);
  }
  signal.throwIfAborted();
}

/** What a terminal is shown is read whole first, within bounds. */
const shownText = (reply: Response, signal: AbortSignal): Promise<string> =>
  boundedText(reply, REPLY_MAX_BYTES, signal).catch((error: unknown) => {
    if (!(error instanceof Error) || error.name !== 'TooLargeError') throw error;
    throw new Failure(
      'failed',
      `The reply cannot be shown: ${error.message}.`,
      'Send it to a file or a program instead.',
    );
  });

function readable(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return safeJson(value, 2);
  } catch {
    return safe(text.endsWith('\n') ? text : `${text}\n`);
  }
}

const safe = (text: string) => text.split('\n').map(printable).join('\n');

const BODY_MAX_BYTES = 1_048_576;

/** A body on the command line could be read by every other user of the machine, so it is a file's or standard input's. */
async function jsonBody({ io }: Context, data: string): Promise<unknown> {
  if (data !== '-' && !data.startsWith('@')) {
    throw new Failure(
      'usage',
      '--data takes a file or standard input: other users can read a command line.',
      'Write --data @FILE or --data -.',
    );
  }
  const name = data === '-' ? 'Standard input' : data.slice(1);
  const text = await textOf(io.input(data === '-' ? undefined : name), name);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new Failure('usage', `${name} holds no JSON.`, 'Nothing was sent.', { cause: error });
  }
}

async function textOf(source: AsyncIterable<unknown>, name: string): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of source) {
      const part = Buffer.from(chunk as Uint8Array | string as string);
      bytes += part.length;
      if (bytes > BODY_MAX_BYTES) throw new Failure('usage', `${name} holds more than a request may.`, null);
      chunks.push(part);
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure('usage', `${name} cannot be read.`, 'Nothing was sent.', { cause: error });
  }
  return Buffer.concat(chunks).toString('utf8');
}
