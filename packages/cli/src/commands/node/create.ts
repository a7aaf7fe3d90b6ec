import { node, nodeDefaults, nodeInput } from '@sallyport/sdk/contract';
import { command } from '../../context.ts';
import { contractHelp } from '../../ui/contractHelp.ts';
import { show } from '../../ui/show.ts';

export const create = command({
  description:
    "Create a node and its first access token. The token is shown this once; with it the node's own host signs in.",
  flags: nodeInput,
  words: ['name'],
  help: contractHelp(nodeInput, node, { name: { text: 'the name of the node', value: 'name' } }, nodeDefaults),
  examples: [
    'sallyport node create edge',
    'sallyport node create site --is-gateway --gateway-networks eth0=192.0.2.0/24',
    'sallyport node create edge --json | jq -r .data.token > token-file',
  ],
  async run(context, body) {
    const client = await context.client();
    const { id, name, token, ...created } = await client.node.create({ body }, { signal: context.signal });
    await show(context, { id, name, token, ...created });
    context.io.say('Keep the token now: it is not shown again.');
  },
});
