import * as z from 'zod/mini';
import { command } from '../../context.ts';
import { findService, whichFlags, whichHelp } from '../../which.ts';
import { jsonText } from '../../ui/json.ts';

export const disable = command({
  description: 'Close a service to visitors. Connections that are open end.',
  flags: z.strictObject(whichFlags),
  words: ['service'],
  help: whichHelp,
  examples: ['sallyport service disable web', 'sallyport service disable web --node edge'],
  async run(context, which) {
    const { type, id, nodeId } = await findService(context, which);
    const client = await context.client();
    const group = type === 'http' ? client.httpService : client.tcpService;
    const changed = await group.disable({ params: { nodeId, id } }, { signal: context.signal });
    context.io.say(`Disabled service "${changed.name}".`);
    if (context.globals.json) await context.io.print(jsonText({ data: { type, ...changed } }, 2));
  },
});
