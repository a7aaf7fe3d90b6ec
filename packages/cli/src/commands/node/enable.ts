import { field } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { command } from '../../context.ts';
import { jsonText } from '../../ui/json.ts';

export const enable = command({
  description: 'Let a node connect again.',
  flags: z.strictObject({ node: field.requiredText() }),
  words: ['node'],
  help: { node: { text: 'its name or id', value: 'name|id' } },
  examples: ['sallyport node enable edge'],
  async run(context, { node }) {
    const { id, version } = await (await context.find()).node(node);
    const options = { signal: context.signal, ifMatch: version };
    const changed = await (await context.client()).node.enable({ params: { id } }, options);
    context.io.say(`Enabled node "${changed.name}".`);
    if (context.globals.json) await context.io.print(jsonText({ data: changed }, 2));
  },
});
