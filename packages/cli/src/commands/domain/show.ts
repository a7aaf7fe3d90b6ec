import { field } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { command } from '../../context.ts';
import { show as showThing } from '../../ui/show.ts';

export const show = command({
  description: 'Show everything about a domain.',
  flags: z.strictObject({ domain: field.requiredText() }),
  words: ['domain'],
  help: { domain: { text: 'its name or id', value: 'name|id' } },
  examples: [
    'sallyport domain show app.example.com',
    'sallyport domain show app.example.com --json | jq -r .data.problem',
  ],
  async run(context, { domain }) {
    await showThing(context, await (await context.find()).domain(domain));
  },
});
