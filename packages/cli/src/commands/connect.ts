import { ownGatewayInput } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { connectHost, waitForAnswer } from '../host/connect.ts';
import {
  givenToken,
  isSameGateway,
  isTokenGiven,
  pinFlag,
  refuseExposed,
  tokenFlags,
  trustedPin,
} from '../host/credentials.ts';
import type { Host } from '../host/host.ts';
import { hostCommand } from '../host/hostCommand.ts';
import { installCommand } from '../host/tunnel.ts';
import { DEFAULT_INTERFACE, type HostConfig, isGatewayAt, NOTHING_AGREED, keptConsent } from '../host/hostConfig.ts';

const flags = z.strictObject({
  wait: z.optional(z.boolean()),
  ...tokenFlags.flags,
  ...pinFlag.flags,
  insecureHttp: z.optional(z.boolean()),
  allowInternet: z.optional(z.boolean()),
  allowDns: z.optional(z.boolean()),
  allowNetworks: z.optional(z.array(ownGatewayInput.shape.gatewayNetwork)),
});
type Flags = z.output<typeof flags>;

export const connect = hostCommand({
  description:
    'Connect this host to its gateway, as `login` or `config` left it. With --url it becomes a node by the token that the console shows, which is asked for, or read from standard input, a file or SALLYPORT_TOKEN; where that is the new address of the gateway whose key this host trusts already, it stays the node that it is. The configuration is fetched again; when that fails, what was there stays. It is done when the gateway has answered through the tunnel, within 20 seconds; else it says what to look at, with exit code 3, and the tunnel stays up.',
  flags,
  help: {
    wait: { text: 'say that the gateway has answered through the tunnel; the command waits for that in any case' },
    ...tokenFlags.help,
    ...pinFlag.help,
    insecureHttp: { text: 'send the token over plain HTTP to another machine' },
    allowInternet: {
      text: 'let the gateway carry all internet traffic of this host, where the node is set up so; kept',
      negatable: true,
    },
    allowDns: { text: 'use the DNS servers that the gateway names for this host; kept', negatable: true },
    allowNetworks: {
      text: 'let the gateway carry traffic to these networks as well, in addition to those that it carries already; kept',
      value: 'cidr,…',
    },
  },
  examples: [
    'sudo sallyport connect --wait',
    'sudo sallyport connect --url https://gateway.example.com:9443',
    'sudo sallyport connect --url https://gateway.example.com:9443 --token-stdin < token-file',
  ],
  async run(context, given) {
    const { io } = context;
    const host = await context.host();
    host.requireRoot('connect this host');
    const before = host.file.read();
    // Before any question; whether this node is a gateway, only its gateway knows.
    host.tunnel(before?.interface ?? DEFAULT_INTERFACE).requireTools('unknown');
    host.file.prepare();
    const config: HostConfig = await targetOf(context, given, host, before);
    if (given.allowInternet !== undefined) config.allowInternet = given.allowInternet;
    if (given.allowDns !== undefined) config.allowDns = given.allowDns;
    if (given.allowNetworks) config.allowNetworks = [...host.consent(config).allowNetworks, ...given.allowNetworks];
    const { node, change, gatewayAddress } = await connectHost(
      context,
      host,
      config,
      ({ consent }) => consent.allowInternet === undefined || given.allowInternet === undefined,
    );
    // Only what has worked replaces what was there.
    host.file.write({ ...config, ...keptConsent(host.consent(config)), connected: true });
    await waitForAnswer(context, host, config, gatewayAddress);
    io.say(
      change === 'unchanged'
        ? `Node "${node.name}" is connected already.`
        : `Node "${node.name}" is ${change === 'replaced' ? 'reconnected' : 'connected'} by ${config.interface}.`,
    );
    if (given.wait) io.say('The gateway answers through the tunnel.');
    await io.answer({ url: config.url, id: node.id, name: node.name, address: node.address, isConnected: true });
  },
});

/** What to connect to: what is configured, or the gateway and the token that are given now. */
async function targetOf(
  context: Context,
  given: Flags,
  host: Host,
  before: HostConfig | undefined,
): Promise<HostConfig> {
  const url = context.givenUrl();
  const isNew = url !== undefined && !isGatewayAt(before, url);
  if (!isTokenGiven(context, given) && given.pin === undefined) {
    if (!isNew) return host.config();
    // It has moved, and shows the key that is trusted already.
    const isMoved = typeof before?.pin === 'string' && (await isSameGateway(context, url, before.pin));
    if (before && isMoved) return { ...before, url, otherUrl: before.url, connected: true };
  }
  const target = url ?? before?.url;
  if (target === undefined) throw new Failure('usage', 'A token belongs to a gateway.', 'Name it with --url.');
  refuseExposed(target, given.insecureHttp === true);
  const { machine } = host;
  if (context.io.canAsk && machine.find('nft') === null) {
    const install = installCommand(machine.distribution, 'nftables');
    context.io.say(
      `If this node is a gateway to its network, it needs nftables too, which is not installed. ${install}`,
    );
  }
  const pin = await trustedPin(context, { url: target, pin: given.pin, before });
  const keepsToken = !isNew && !isTokenGiven(context, given) && before !== undefined;
  const token = keepsToken ? before.token : await givenToken(context, given);
  const consent = before && isGatewayAt(before, target) ? host.consent(before) : NOTHING_AGREED;
  return { url: target, token, pin, interface: before?.interface ?? DEFAULT_INTERFACE, connected: true, ...consent };
}

export const disconnect = hostCommand({
  description:
    'Take the tunnel of this host down, and keep it down until `sallyport connect`. The node, its token and its services stay.',
  flags: z.strictObject({}),
  help: {},
  examples: ['sudo sallyport disconnect'],
  async run(context) {
    const { io } = context;
    const host = await context.host();
    host.requireRoot('disconnect this host');
    const config = host.config();
    // First what the service of this host follows, or it would connect again.
    if (config.connected) host.file.write({ ...config, ...keptConsent(host.consent(config)), connected: false });
    const wasUp = await host.tunnel(config.interface).down();
    io.say(wasUp ? 'Disconnected.' : 'This host was not connected.');
    await io.answer({ wasConnected: wasUp, isConnected: false });
  },
});
