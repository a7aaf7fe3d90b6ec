import * as z from 'zod/mini';
import { command } from '../../context.ts';
import { show as showThing } from '../../entity/show.ts';
import { findService, whichFlags, whichHelp } from '../../entity/whichService.ts';

export const show = command({
  description: 'Show everything about a service, also whether its backend answers and why not.',
  flags: z.strictObject(whichFlags),
  words: ['service'],
  help: whichHelp,
  examples: ['sallyport service show web', 'sallyport service show web --json | jq -r .data.publicAccess'],
  async run(context, which) {
    await showThing(context, await findService(context, which));
  },
});
