import { tcpServiceAttributes, tcpServiceInput, timeToLive } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { expose, tellExposed } from '../host/expose.ts';
import { foreground as showConnections } from '../host/foreground.ts';
import { hostCommand } from '../host/hostCommand.ts';

const { name, domain, proto, backendHost, backendPort, allowedIps, blockedIps } = tcpServiceAttributes;

export const tcp = hostCommand({
  description:
    'Expose a TCP or UDP port of this host and answer with its public address. When there is a service of this name it is changed as the flags say and opened; the same command twice changes nothing.',
  words: ['name'],
  flags: z.strictObject({
    name: name.given,
    port: backendPort.given,
    publicPort: tcpServiceInput.shape.port,
    domain: domain.given,
    proto: proto.given,
    ssl: z.optional(z.boolean()),
    backendHost: backendHost.given,
    allow: allowedIps.given,
    block: blockedIps.given,
    ttl: timeToLive.ttl,
    foreground: z.optional(z.boolean()),
  }),
  help: {
    name: { text: 'what the service is called' },
    port: { text: 'the port of the server' },
    publicPort: { text: "the gateway's port; the next free one for a new service", value: 'n' },
    domain: { text: 'the name in the public address', value: 'name' },
    proto: { text: 'the transport' },
    ssl: { text: 'the gateway terminates TLS', negatable: true },
    backendHost: { text: 'the host of the server, behind a gateway node', value: 'host' },
    allow: { text: 'only these addresses or networks may come in', value: 'address,…' },
    block: { text: 'these addresses or networks may not', value: 'address,…' },
    ttl: { text: 'close it after this time, e.g. 30m, 2h or 1d', value: 'time' },
    foreground: { text: 'show the connections as they end, and close the service on Ctrl+C' },
  },
  examples: [
    'sudo sallyport tcp broker --port 1883',
    'sudo sallyport tcp game --port 27015 --proto udp --public-port 20015 --ttl 1d',
  ],
  async run(context, { name: service, port, publicPort, allow, block, ttl, foreground, ...rest }) {
    const host = await context.host();
    const client = await host.client(host.config());
    const { cli } = client;
    const options = { signal: context.signal };
    const exposed = await expose(
      {
        list: () => cli.listTcp({}, options),
        create: (body) => cli.exposeTcp({ body }, options),
        update: ({ id, version }, body) => cli.updateTcp({ params: { id }, body }, { ...options, ifMatch: version }),
        enable: ({ id, version }, time) =>
          cli.enableTcp({ params: { id }, body: { ttl: time } }, { ...options, ifMatch: version }),
      },
      { name: service, ...rest, backendPort: port, port: publicPort, allowedIps: allow, blockedIps: block },
      ttl ?? undefined,
    );
    await tellExposed(context, 'tcp', exposed);
    if (foreground) await showConnections(context, client, 'tcp', exposed.service);
  },
});
