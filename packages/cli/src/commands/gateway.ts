import { ownGatewayInput } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { connectHost } from '../host/connect.ts';
import { hostCommand } from '../host/hostCommand.ts';
import { jsonText } from '../ui/json.ts';

const { gatewayNetwork, gatewayInterface } = ownGatewayInput.shape;

export const gateway = hostCommand({
  description:
    'Change the subnet behind this host, which must be a gateway node, and the interface to it. A host that is connected reconnects, so that it forwards there.',
  flags: z.strictObject({ subnet: gatewayNetwork, interface: gatewayInterface }),
  help: {
    subnet: { text: 'the subnet behind this host', value: 'cidr' },
    interface: { text: 'the interface to it; as before unless given', value: 'name' },
  },
  examples: ['sudo sallyport gateway --subnet 192.168.1.0/24 --interface eth1'],
  async run(context, { subnet, interface: device }) {
    const { io, signal } = context;
    const host = await context.host();
    host.requireRoot('change what this host forwards');
    const config = host.config();
    const { cli } = await host.client(config);
    const body = { gatewayNetwork: subnet, gatewayInterface: device };
    const node = await cli.gateway({ body }, { signal });
    const { isUp } = await host.tunnel(config.interface).state();
    if (isUp) await connectHost(context, host, config);
    const networks = (node.gatewayNetworks ?? []).map((each) => `${each.subnet} by ${each.interface}`).join(', ');
    io.say(`Node "${node.name}" is the gateway to ${networks}.`);
    if (context.globals.json) await io.print(jsonText({ node }, 2));
  },
});
