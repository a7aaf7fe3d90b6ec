import * as z from 'zod/mini';
import { command } from '../../context.ts';
import { findService, whichFlags, whichHelp } from '../../which.ts';
import { jsonText } from '../../ui/json.ts';

export const enable = command({
  description: 'Open a service to visitors, without a time to live.',
  flags: z.strictObject(whichFlags),
  words: ['service'],
  help: whichHelp,
  examples: ['sallyport service enable web', 'sallyport service enable web --node edge'],
  async run(context, which) {
    const { type, id, nodeId, version } = await findService(context, which);
    const client = await context.client();
    const group = type === 'http' ? client.httpService : client.tcpService;
    const changed = await group.enable({ params: { nodeId, id } }, { signal: context.signal, ifMatch: version });
    context.io.say(`Enabled service "${changed.name}".`);
    if (context.globals.json) await context.io.print(jsonText({ data: { type, ...changed } }, 2));
  },
});
