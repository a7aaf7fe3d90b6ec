import * as z from 'zod/mini';
import { command } from '../../context.ts';
import { show as showThing } from '../../ui/show.ts';
import { closedByTime } from '../../ui/columns.ts';
import { findService, whichFlags, whichHelp } from '../../which.ts';

export const show = command({
  description: 'Show everything about a service, also whether its backend answers and why not.',
  flags: z.strictObject(whichFlags),
  words: ['service'],
  help: whichHelp,
  examples: ['sallyport service show web', 'sallyport service show web --json | jq -r .data.publicAccess'],
  async run(context, which) {
    const service = await findService(context, which);
    const closed = context.io.isTerminal && !context.globals.json ? closedByTime(service) : null;
    // For people at their own time of day.
    await showThing(context, closed === null ? service : { ...service, problem: `${closed}.` });
  },
});
