import { httpServiceAttributes, timeToLive } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import { expose, tellExposed } from '../host/expose.ts';
import { foreground as showRequests } from '../host/foreground.ts';
import { hostCommand } from '../host/hostCommand.ts';

const { name, domain, pathLocation, backendProto, backendHost, backendPort, allowedIps, blockedIps } =
  httpServiceAttributes;

export const http = hostCommand({
  description:
    'Expose a web server of this host and answer with its public address. When there is a service of this name it is changed as the flags say and opened; the same command twice changes nothing.',
  words: ['name'],
  flags: z.strictObject({
    name: name.given,
    port: backendPort.given,
    domain: domain.given,
    path: pathLocation.given,
    proto: backendProto.given,
    backendHost: backendHost.given,
    allow: allowedIps.given,
    block: blockedIps.given,
    ttl: timeToLive.ttl,
    foreground: z.optional(z.boolean()),
  }),
  help: {
    name: { text: 'what the service is called' },
    port: { text: 'the port of the web server; 80 for a new service' },
    domain: { text: "the public domain; without one, the gateway's own address", value: 'name' },
    path: { text: 'the public path; / for a new service', value: '/path' },
    proto: { text: 'how the web server is spoken to' },
    backendHost: { text: 'the host of the web server, behind a gateway node', value: 'host' },
    allow: { text: 'only these addresses or networks may come in', value: 'address,…' },
    block: { text: 'these addresses or networks may not', value: 'address,…' },
    ttl: { text: 'close it after this time, e.g. 30m, 2h or 1d', value: 'time' },
    foreground: { text: 'show the requests as they come, and close the service on Ctrl+C' },
  },
  examples: [
    'sudo sallyport http web --port 8080 --domain app.example.com',
    'sudo sallyport http demo --port 3000 --path /demo --ttl 2h --foreground',
  ],
  async run(context, { name: service, port, path, proto, allow, block, ttl, foreground, ...rest }) {
    const host = await context.host();
    const client = await host.client(host.config());
    const { cli } = client;
    const options = { signal: context.signal };
    const exposed = await expose(
      {
        list: () => cli.listHttp({}, options),
        create: (body) => cli.exposeHttp({ body: { ...body, pathLocation: body.pathLocation ?? '/' } }, options),
        update: ({ id, version }, body) => cli.updateHttp({ params: { id }, body }, { ...options, ifMatch: version }),
        enable: ({ id, version }, time) =>
          cli.enableHttp({ params: { id }, body: { ttl: time } }, { ...options, ifMatch: version }),
      },
      {
        name: service,
        ...rest,
        pathLocation: path,
        backendPort: port,
        backendProto: proto,
        allowedIps: allow,
        blockedIps: block,
      },
      ttl ?? undefined,
    );
    await tellExposed(context, 'http', exposed);
    if (foreground) await showRequests(context, client, 'http', exposed.service);
  },
});
