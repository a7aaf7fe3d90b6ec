import { printable } from '@sallyport/sdk';
import * as z from 'zod/mini';
import type { Context } from '../context.ts';
import { Failure } from '../context.ts';
import { connectHost, waitForHandshake } from '../host/connect.ts';
import type { Host } from '../host/host.ts';
import { DEFAULT_INTERFACE, type HostConfig } from '../host/hostConfig.ts';
import { hostCommand } from '../host/hostCommand.ts';
import { refuseExposed } from '../login/credentials.ts';
import { givenToken, isTokenGiven } from '../login/givenToken.ts';
import { trustedPin } from '../login/trust.ts';
import { jsonText } from '../ui/json.ts';

const flags = z.strictObject({
  wait: z.optional(z.boolean()),
  tokenStdin: z.optional(z.boolean()),
  tokenFile: z.optional(z.string()),
  pin: z.optional(z.string()),
  insecureHttp: z.optional(z.boolean()),
});
type Flags = z.output<typeof flags>;

export const connect = hostCommand({
  description:
    'Connect this host to its gateway, as `login` or `config` left it. With --url it becomes a node by the token that the console shows, which is asked for, or read from standard input, a file or SALLYPORT_TOKEN. The configuration is fetched anew; when that fails, what was there stays.',
  flags,
  help: {
    wait: { text: 'wait until the gateway has answered through the tunnel' },
    tokenStdin: { text: "read the node's token from standard input" },
    tokenFile: { text: "read the node's token from a file", value: 'file' },
    pin: {
      text: 'trust this one certificate, by the fingerprint that the gateway prints when it starts',
      value: 'sha256',
    },
    insecureHttp: { text: 'send the token over plain HTTP to another machine' },
  },
  examples: [
    'sudo sallyport connect --wait',
    'sudo sallyport connect --url https://gateway.example.com:9443',
    'sudo sallyport connect --url https://gateway.example.com:9443 --token-stdin < token-file',
  ],
  async run(context, given) {
    const { io, signal } = context;
    const host = await context.host();
    host.requireRoot('connect this host');
    const before = host.file.read();
    host.file.prepare();
    const config = await targetOf(context, given, host, before);
    const tunnel = host.tunnel(config.interface);
    tunnel.requireTools(false);
    const { node, change } = await connectHost(host, config, signal);
    // Only what has worked replaces what was there.
    host.file.write({ ...config, connected: true });
    const name = printable(node.name);
    io.say(
      change === 'unchanged'
        ? `Node "${name}" is connected already.`
        : `Node "${name}" is ${change === 'replaced' ? 'connected anew' : 'connected'} by ${config.interface}.`,
    );
    if (given.wait) {
      await waitForHandshake(context, tunnel);
      io.say('The gateway answers through the tunnel.');
    }
    if (context.globals.json) {
      await io.print(
        jsonText({ url: config.url, id: node.id, name: node.name, address: node.address, isConnected: true }, 2),
      );
    }
  },
});

/** What to connect to: what is configured, or the gateway and the token that are given now. */
async function targetOf(context: Context, given: Flags, host: Host, before: HostConfig | undefined) {
  const url = context.givenUrl();
  const isNew = url !== undefined && url !== before?.url;
  if (!isNew && !isTokenGiven(context, given) && given.pin === undefined) return host.config();
  const target = url ?? before?.url;
  if (target === undefined) throw new Failure('usage', 'A token belongs to a gateway.', 'Name it with --url.');
  refuseExposed(target, given.insecureHttp === true);
  const kept = before?.url === target ? before.pin : null;
  const pin = await trustedPin(context, { url: target, pin: given.pin, before: kept });
  const keepsToken = !isNew && !isTokenGiven(context, given) && before !== undefined;
  const token = keepsToken ? before.token : await givenToken(context, given);
  return { url: target, token, pin, interface: before?.interface ?? DEFAULT_INTERFACE, connected: true };
}
