import * as z from 'zod/mini';
import { askEvery } from '../../host/askEvery.ts';
import { hostCommand } from '../../host/hostCommand.ts';
import { keepConnected } from '../../host/keeper.ts';

export const run = hostCommand({
  description:
    'Keep this host connected, in the foreground, until a signal; then take the tunnel down. This is what the installed service runs.',
  flags: z.strictObject({ every: askEvery.flag }),
  help: { every: askEvery.help },
  examples: ['sudo sallyport service run'],
  async run({ host: openHost, io, now, signal }, { every }) {
    const host = await openHost();
    host.requireRoot('keep this host connected');
    await keepConnected({ host, say: io.say, now, signal, ...(every !== undefined && { everyMs: every * 1000 }) });
  },
});
