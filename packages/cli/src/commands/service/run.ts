import * as z from 'zod/mini';
import { hostCommand } from '../../host/hostCommand.ts';
import { keepConnected } from '../../host/keeper.ts';

export const run = hostCommand({
  description:
    'Keep this host connected, in the foreground, until a signal; then take the tunnel down. This is what the installed service runs.',
  flags: z.strictObject({}),
  help: {},
  examples: ['sudo sallyport service run'],
  async run({ host: openHost, io, now, signal }) {
    const host = await openHost();
    host.requireRoot('keep this host connected');
    await keepConnected({ host, say: io.say, now, signal });
  },
});
