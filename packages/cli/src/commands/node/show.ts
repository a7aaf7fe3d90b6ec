import { field } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { command } from '../../context.ts';
import { show as showThing } from '../../ui/show.ts';

export const show = command({
  description: 'Show everything about a node.',
  flags: z.strictObject({ node: field.requiredText() }),
  words: ['node'],
  help: { node: { text: 'its name or id', value: 'name|id' } },
  examples: ['sallyport node show edge', 'sallyport node show edge --json | jq -r .data.status'],
  async run(context, { node }) {
    await showThing(context, await (await context.find()).node(node));
  },
});
