import { field, node, nodePatch } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { command } from '../../context.ts';
import { changesOf, contractHelp } from '../../ui/contractHelp.ts';
import { show } from '../../ui/show.ts';

const flags = z.extend(z.omit(nodePatch, { id: true }), { node: field.requiredText() });

export const edit = command({
  description: 'Change a node. What is not given stays as it is; an empty value takes one away.',
  flags,
  words: ['node'],
  help: contractHelp(flags, node, { node: { text: 'its name or id', value: 'name|id' } }),
  examples: ['sallyport node edit edge --keepalive 25', "sallyport node edit edge --name attic --dns ''"],
  async run(context, { node: which, ...given }) {
    const body = changesOf(given);
    const { id, version } = await (await context.find()).node(which);
    const client = await context.client();
    const options = { signal: context.signal, ifMatch: version };
    await show(context, await client.node.update({ params: { id }, body }, options));
  },
});
