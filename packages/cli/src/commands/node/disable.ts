import { field } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { command } from '../../context.ts';
import { jsonText } from '../../ui/json.ts';

export const disable = command({
  description: 'Disconnect a node. Its services answer 503 until it is enabled again.',
  flags: z.strictObject({ node: field.requiredText() }),
  words: ['node'],
  help: { node: { text: 'its name or id', value: 'name|id' } },
  examples: ['sallyport node disable edge'],
  async run(context, { node }) {
    const { id } = await (await context.find()).node(node);
    const changed = await (await context.client()).node.disable({ params: { id } }, { signal: context.signal });
    context.io.say(`Disabled node "${changed.name}".`);
    if (context.globals.json) await context.io.print(jsonText({ data: changed }, 2));
  },
});
