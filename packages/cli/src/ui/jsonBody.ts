import { createReadStream } from 'node:fs';
import { type Context, Failure } from '../context.ts';

const BODY_MAX_BYTES = 1_048_576;

/** A body on the command line could be read by every other user of the machine, so it is a file's or standard input's. */
export async function jsonBody({ io }: Context, data: string): Promise<unknown> {
  if (data !== '-' && !data.startsWith('@')) {
    throw new Failure(
      'usage',
      '--data takes a file or standard input: other users can read a command line.',
      'Write --data @FILE or --data -.',
    );
  }
  const name = data === '-' ? 'Standard input' : data.slice(1);
  const text = await textOf(data === '-' ? io.input() : createReadStream(name), name);
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
