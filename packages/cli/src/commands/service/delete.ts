import * as z from 'zod/mini';
import { command } from '../../context.ts';
import { confirm, yesFlag, yesHelp } from '../../ui/confirm.ts';
import { findService, whichFlags, whichHelp } from '../../which.ts';
import { jsonText } from '../../ui/json.ts';

export const remove = command({
  description: 'Delete a service. Visitors reach it no longer.',
  flags: z.strictObject({ ...whichFlags, ...yesFlag }),
  words: ['service'],
  help: { ...whichHelp, ...yesHelp },
  examples: ['sallyport service delete web', 'sallyport service delete web --node edge --yes'],
  async run(context, { yes, ...which }) {
    const { type, id, nodeId, name, version } = await findService(context, which);
    await confirm(context, yes, `delete service "${name}"`);
    const client = await context.client();
    const group = type === 'http' ? client.httpService : client.tcpService;
    await group.remove({ params: { nodeId, id } }, { signal: context.signal, ifMatch: version });
    context.io.say(`Deleted service "${name}".`);
    if (context.globals.json) await context.io.print(jsonText({ deleted: { type, id, name } }, 2));
  },
});
