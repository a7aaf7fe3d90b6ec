import * as z from 'zod/mini';
import { command } from '../../context.ts';
import { confirm, yesFlag, yesHelp } from '../../ui/confirm.ts';
import { findToken, whichTokenFlags, whichTokenHelp } from '../../which.ts';
import { jsonText } from '../../ui/json.ts';

export const revoke = command({
  description: 'Refuse an access token from now on. A tunnel that is up stays up.',
  flags: z.strictObject({ ...whichTokenFlags, ...yesFlag }),
  words: ['token'],
  help: { ...whichTokenHelp, ...yesHelp },
  examples: ['sallyport token revoke ci --node edge --yes'],
  async run(context, { yes, ...which }) {
    const { id, nodeId, name } = await findToken(context, which);
    await confirm(context, yes, `revoke access token "${name}"`);
    const client = await context.client();
    await client.token.revoke({ params: { id: nodeId, tokenId: id } }, { signal: context.signal });
    context.io.say(`Revoked access token "${name}".`);
    if (context.globals.json) await context.io.print(jsonText({ revoked: { id, name } }, 2));
  },
});
