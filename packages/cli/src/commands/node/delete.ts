import { field } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { command } from '../../context.ts';
import { confirm, yesFlag, yesHelp } from '../../ui/confirm.ts';
import { jsonText } from '../../ui/json.ts';

export const remove = command({
  description: 'Delete a node, its services and its access tokens.',
  flags: z.strictObject({ node: field.requiredText(), ...yesFlag }),
  words: ['node'],
  help: { node: { text: 'its name or id', value: 'name|id' }, ...yesHelp },
  examples: ['sallyport node delete edge', 'sallyport node delete edge --yes'],
  async run(context, { node, yes }) {
    const { id, name, version } = await (await context.find()).node(node);
    await confirm(context, yes, `delete node "${name}", its services and its access tokens`);
    const options = { signal: context.signal, ifMatch: version };
    await (await context.client()).node.remove({ params: { id } }, options);
    context.io.say(`Deleted node "${name}".`);
    if (context.globals.json) await context.io.print(jsonText({ deleted: { id, name } }, 2));
  },
});
