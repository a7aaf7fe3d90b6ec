import * as z from 'zod/mini';
import { Failure, Secret } from '../context.ts';
import { connectHost, waitForAnswer } from '../host/connect.ts';
import { hostCommand, maybeRenewed } from '../host/hostCommand.ts';
import { jsonText } from '../ui/json.ts';

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
    // Not by the user's signal: an answer that nobody waits for would be a token lost.
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
    if (context.globals.json) await io.print(jsonText({ id: node.id, name: node.name, isConnected: isUp }, 2));
  },
});
