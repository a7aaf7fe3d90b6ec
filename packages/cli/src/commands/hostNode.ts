import { isApiError } from '@sallyport/sdk';
import { ownGatewayInput } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { Failure, codesOf } from '../failure.ts';
import { connectHost, waitForAnswer } from '../host/connect.ts';
import { hostCommand } from '../host/hostCommand.ts';
import { Secret } from '../io.ts';

export const regenerate = hostCommand({
  description:
    "Give this host's node new keys and a new token; the old ones, and every other token of the node, are refused from then on. A host that is connected reconnects. When the gateway cannot do it, everything stays as it is.",
  flags: z.strictObject({ force: z.optional(z.boolean()) }),
  help: { force: { text: 'do not ask' } },
  examples: ['sudo sallyport regenerate', 'sudo sallyport regenerate --force'],
  async run(context, { force }) {
    const { io } = context;
    const host = await context.host();
    host.requireRoot("renew this host's keys");
    const config = host.config();
    const question = 'all services of this host are interrupted for a moment. Renew its keys and its token';
    if (!force && !(io.canAsk && (await io.confirm(question)))) {
      throw new Failure(
        'failed',
        'Nothing was renewed.',
        io.canAsk ? null : 'Give --force, since there is no terminal to ask.',
      );
    }
    const tunnel = host.tunnel(config.interface);
    const { isUp } = await tunnel.state();
    const { cli } = await host.client(config);
    // From the gateway's answer on the old token is dead: the new one has its room before it is asked for.
    const room = host.file.reserve();
    // Not by the user's signal: an answer that no one waits for would be a token lost.
    const node = await cli.regenerate({}).catch((error: unknown) => {
      room.release();
      throw maybeRenewed(error);
    });
    const renewed = { ...config, token: new Secret(node.token) };
    room.write(renewed);
    io.say(`Node "${node.name}" has new keys and a new token.`);
    if (isUp) {
      const { gatewayAddress } = await connectHost(context, host, renewed);
      await waitForAnswer(context, host, renewed, gatewayAddress);
      io.say('Connected with the new keys.');
    }
    await io.answer({ id: node.id, name: node.name, isConnected: isUp });
  },
});

/** The gateway was never asked: nothing answered, or something that is not trusted. */
const NEVER_ASKED = /CERT|PIN_MISMATCH|UNABLE_TO|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH/;

/** What to say when the gateway did not answer whether it has renewed a token: one that was asked and then fell silent may have. */
function maybeRenewed(error: unknown): unknown {
  if (!isApiError(error, 'unreachable') || codesOf(error).some((code) => NEVER_ASKED.test(code))) return error;
  return new Failure(
    'unreachable',
    `${error.message}; nothing was changed on this host.`,
    'Run the command again when it can be reached. If it refuses the token then, it had renewed it: give a new one from the console to `sallyport config`.',
    { cause: error },
  );
}

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
    await io.answer({ node });
  },
});
