import * as z from 'zod/mini';
import { command } from '../../context.ts';
import { confirm, yesFlag, yesHelp } from '../../ui/confirm.ts';
import { findToken, whichTokenFlags, whichTokenHelp } from '../../which.ts';
import { jsonText } from '../../ui/json.ts';

export const remove = command({
  description: 'Delete an access token; it is refused from now on.',
  flags: z.strictObject({ ...whichTokenFlags, ...yesFlag }),
  words: ['token'],
  help: { ...whichTokenHelp, ...yesHelp },
  examples: ['sallyport token delete ci --node edge --yes'],
  async run(context, { yes, ...which }) {
    const { id, nodeId, name, version } = await findToken(context, which);
    await confirm(context, yes, `delete access token "${name}"`);
    const client = await context.client();
    const options = { signal: context.signal, ifMatch: version };
    await client.token.remove({ params: { id: nodeId, tokenId: id } }, options);
    context.io.say(`Deleted access token "${name}".`);
    if (context.globals.json) await context.io.print(jsonText({ deleted: { id, name } }, 2));
  },
});
