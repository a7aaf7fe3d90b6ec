import * as z from 'zod/mini';
import { command } from '../../context.ts';
import { show as showThing } from '../../ui/show.ts';
import { findToken, whichTokenFlags, whichTokenHelp } from '../../which.ts';

export const show = command({
  description: 'Show everything about an access token but its secret.',
  flags: z.strictObject(whichTokenFlags),
  words: ['token'],
  help: whichTokenHelp,
  examples: ['sallyport token show ci --node edge'],
  async run(context, which) {
    await showThing(context, await findToken(context, which));
  },
});
