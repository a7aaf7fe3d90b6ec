import { readFileSync } from 'node:fs';
import type { Context } from '../context.ts';
import { Failure } from '../context.ts';
import { Secret } from '../secret.ts';

const TOKEN = /^[\x21-\x7e]{8,4096}$/;

/** Where a node's token may come from, beside SALLYPORT_TOKEN and the prompt. */
export type TokenFlags = { tokenStdin?: boolean | undefined; tokenFile?: string | undefined };

/** Whether a token was given without a question. */
export const isTokenGiven = ({ env }: Context, flags: TokenFlags): boolean =>
  flags.tokenStdin === true || flags.tokenFile !== undefined || Boolean(env['SALLYPORT_TOKEN']);

/** The node's token: from standard input, a file, SALLYPORT_TOKEN, else asked for without showing it. */
export async function givenToken(context: Context, { tokenStdin, tokenFile }: TokenFlags): Promise<Secret> {
  const { io, env } = context;
  if (tokenStdin && tokenFile !== undefined) {
    throw new Failure('usage', 'The token comes from standard input or from a file.', 'Leave one of the two out.');
  }
  const token = await (async () => {
    if (tokenFile !== undefined) return new Secret(readToken(tokenFile));
    if (tokenStdin && !io.stdinIsTerminal) return io.readSecret();
    if (!tokenStdin && env['SALLYPORT_TOKEN']) return new Secret(env['SALLYPORT_TOKEN']);
    return io.askSecret('token of the node');
  })();
  const text = token.reveal().trim();
  if (TOKEN.test(text)) return new Secret(text);
  throw new Failure(
    'usage',
    text === '' ? 'The token is empty.' : 'What was given is not a token.',
    "The console shows a node's token when the node is made; a new one is on the node's page.",
  );
}

function readToken(path: string): string {
  try {
    return readFileSync(path, 'utf8').slice(0, 65_536);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new Failure('usage', `The token could not be read from ${path} (${code}).`, 'Check --token-file.', {
      cause: error,
    });
  }
}
