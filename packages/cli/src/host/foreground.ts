import { printable } from '@sallyport/sdk';
import type { ServiceType } from '@sallyport/sdk/contract';
import type { Client } from '@sallyport/sdk';
import type { Context } from '../context.ts';
import { jsonText } from '../ui/json.ts';
import type { OwnService } from './expose.ts';

/** How long the gateway may take to close the service behind a Ctrl+C. */
const CLOSE_MAX_MS = 10_000;

/** Shows the requests to a service as they come, until Ctrl+C; then closes the service, and says so. */
export async function foreground(
  { io, globals, signal }: Pick<Context, 'io' | 'globals' | 'signal'>,
  client: Client,
  type: ServiceType,
  { id, name }: OwnService,
): Promise<void> {
  io.say('Requests show here. Ctrl+C closes the service.');
  try {
    for await (const lines of client.log.watch({ query: { type, id, lines: 0 } }, { signal })) {
      const shown = lines.filter((line) => line !== '');
      const text = shown.map((line) => (globals.json ? jsonText({ line }) : `${printable(line)}\n`)).join('');
      if (text !== '') await io.print(text);
    }
  } finally {
    const close = type === 'http' ? client.cli.disableHttp : client.cli.disableTcp;
    // The user's signal has been used up; this call is what it was for.
    await close({ params: { id } }, { timeoutMs: CLOSE_MAX_MS });
    io.say(`Closed "${printable(name)}".`);
  }
  signal.throwIfAborted();
}
