import type { ServiceType } from '@sallyport/sdk/contract';
import type { Client } from '@sallyport/sdk';
import type { Context } from '../context.ts';
import { logWriter, streamNews } from '../ui/logWriter.ts';
import type { OwnService } from './expose.ts';

/** How long the gateway may take to close the service behind a Ctrl+C. */
const CLOSE_MAX_MS = 10_000;

/** Shows the requests to a service as they come, until Ctrl+C; then closes the service, and says so. */
export async function foreground(
  context: Pick<Context, 'io' | 'globals' | 'signal'>,
  client: Client,
  type: ServiceType,
  { id, name }: OwnService,
): Promise<void> {
  const { io, signal } = context;
  const write = logWriter(context);
  io.say('Requests show here. Ctrl+C closes the service.');
  try {
    const query = { type, id, lines: 0 };
    for await (const lines of client.log.watch({ query }, { signal, onState: streamNews(io) })) {
      const text = lines
        .filter((line) => line !== '')
        .map(write)
        .join('');
      if (text !== '') await io.print(text);
    }
  } finally {
    await close(context, client, type, { id, name });
  }
  signal.throwIfAborted();
}

async function close(
  { io }: Pick<Context, 'io'>,
  client: Client,
  type: ServiceType,
  { id, name }: Pick<OwnService, 'id' | 'name'>,
): Promise<void> {
  const disable = type === 'http' ? client.cli.disableHttp : client.cli.disableTcp;
  try {
    // The user's signal has been used up; this call is what it was for.
    await disable({ params: { id } }, { timeoutMs: CLOSE_MAX_MS });
    io.say(`Closed "${name}".`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    io.warn(`"${name}" stays open: ${reason}. Close it with \`sallyport disable ${type} ${id}\`.`);
  }
}
