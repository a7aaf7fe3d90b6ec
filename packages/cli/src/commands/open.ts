import { printable } from '@sallyport/sdk';
import * as z from 'zod/mini';
import { command } from '../context.ts';
import { findService } from '../find.ts';
import { openBrowser } from '../ui/openBrowser.ts';

export const open = command({
  description:
    'Print the address of the console, or of a service, and open it in a browser where this terminal has one.',
  flags: z.strictObject({
    service: z.optional(z.string()),
    node: z.optional(z.string()),
    print: z.optional(z.boolean()),
  }),
  words: ['service'],
  help: {
    service: { text: 'the service, by its name or id; the console when left out', value: 'name|id' },
    node: { text: 'look for the service on this node', value: 'name|id' },
    print: { text: 'only print the address' },
  },
  examples: ['sallyport open', 'sallyport open web', 'curl "$(sallyport open web --print)"'],
  async run(context, { service, node, print }) {
    const url =
      service === undefined
        ? `${(await context.session()).url}/`
        : (await findService(context, { service, node })).publicAccess;
    if (context.globals.json) await context.io.answer({ data: { url } });
    else await context.io.print(`${printable(url)}\n`);
    if (!print && context.io.isTerminal && /^https?:\/\//.test(url)) openBrowser(context, url);
  },
});
