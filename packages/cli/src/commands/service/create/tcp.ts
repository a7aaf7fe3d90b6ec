import { field, tcpService, tcpServiceDefaults, tcpServiceInput } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { command } from '../../../context.ts';
import { contractHelp } from '../../../ui/contractHelp.ts';
import { show } from '../../../ui/show.ts';
import { saySaved } from '../../../which.ts';

const flags = z.extend(tcpServiceInput, { node: field.requiredText() });

export const tcp = command({
  description: 'Expose a TCP or UDP port of a node under a port of the gateway. The answer comes when it is open.',
  flags,
  words: ['name'],
  help: contractHelp(
    flags,
    tcpService,
    {
      name: { text: 'the name of the service', value: 'name' },
      node: { text: 'the node that it is on', value: 'name|id' },
      port: { text: 'the public port; the next free one unless given' },
      ttl: { text: 'close it by itself after this time, like 30s, 10m, 2h or 1d', value: 'time' },
    },
    tcpServiceDefaults,
  ),
  examples: [
    'sallyport service create tcp mqtt --node edge --backend-port 1883',
    'sallyport service create tcp dns --node edge --proto udp --backend-port 53 --port 20053',
  ],
  async run(context, { node, ...body }) {
    const { id: nodeId } = await (await context.find()).node(node);
    const client = await context.client();
    const saved = await client.tcpService.create({ params: { nodeId }, body }, { signal: context.signal });
    await show(context, { type: 'tcp', ...saved });
    saySaved(context, saved);
  },
});
