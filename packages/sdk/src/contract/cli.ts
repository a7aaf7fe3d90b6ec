import * as z from 'zod/mini';
import { call } from './endpoint.ts';
import { idOf } from './entity.ts';
import { field } from './field.ts';
import {
  allHttpServicesQuery,
  httpService,
  httpServiceInput,
  httpServicePatch,
  savedHttpService,
} from './httpService.ts';
import { message } from './message.ts';
import { createdNode, interfaceName, node } from './node.ts';
import { pageOf } from './paging.ts';
import { enableInput } from './service.ts';
import { allTcpServicesQuery, savedTcpService, tcpService, tcpServiceInput, tcpServicePatch } from './tcpService.ts';

/** The node that the token belongs to, with everything that it exposes. */
export const ownNode = z.extend(node, {
  httpServices: z._default(z.array(httpService), []).check(z.meta({ description: 'Its HTTP services.' })),
  tcpServices: z._default(z.array(tcpService), []).check(z.meta({ description: 'Its TCP and UDP services.' })),
});
export type OwnNode = z.output<typeof ownNode>;

/** The WireGuard configuration of the token's node, in parts. Its private keys go to that node alone. */
export const wgConfig = z.object({
  privateKey: z.string().check(z.meta({ description: "The node's private key, base64." })),
  address: z.string().check(z.meta({ description: "The node's address in the tunnel, as CIDR." })),
  dns: z.optional(z.string().check(z.meta({ description: 'DNS servers to use while connected.' }))),
  mtu: z.optional(z.int().check(z.meta({ description: 'The largest packet in bytes.' }))),
  postUp: z._default(z.array(z.string()), []).check(z.meta({ description: 'Commands once the tunnel is up.' })),
  postDown: z._default(z.array(z.string()), []).check(z.meta({ description: 'Commands once it is down.' })),
  gatewayAddress: z.optional(z.string()).check(z.meta({ description: "The gateway's own address in the tunnel." })),
  peer: z
    .object({
      publicKey: z.string().check(z.meta({ description: "The gateway's public key, base64." })),
      preSharedKey: z.string().check(z.meta({ description: 'The secret that both share, base64.' })),
      allowedIPs: z
        .union([z.string(), z.array(z.string())])
        .check(z.meta({ description: 'What goes through the tunnel, as CIDR.' })),
      persistentKeepalive: z.int().check(z.meta({ description: 'Seconds between keep-alive packets; 0: none.' })),
      endpoint: z
        .object({
          url: z.string().check(z.meta({ description: '`HOST:PORT`.' })),
          host: z.string().check(z.meta({ description: 'A name or an address.' })),
          port: z.union([z.string(), z.int()]).check(z.meta({ description: 'The UDP port.' })),
        })
        .check(z.meta({ description: 'Where the gateway is reached.' })),
    })
    .check(z.meta({ description: 'The gateway, as the node sees it.' })),
});
export type WgConfig = z.output<typeof wgConfig>;

/** The subnet behind the token's node. */
export const ownGatewayInput = z.strictObject(
  {
    gatewayNetwork: field.network,
    gatewayInterface: field.blankAsNull(interfaceName.check(z.meta({ description: 'The interface to it.' }))),
  },
  { error: message.object },
);

const params = z.object({ id: idOf('the service') }, { error: message.object });

/** The calls of a node's own access token: each acts on that node alone, whatever the body says. */
export const cliEndpoints = {
  node: call({
    method: 'GET',
    path: '/api/cli/node',
    summary: "Reads the token's node and its services.",
    access: 'node',
    reply: ownNode,
  }),
  config: call({
    method: 'GET',
    path: '/api/cli/config',
    summary: "The node's WireGuard configuration as one text.",
    access: 'node',
    reply: z.string(),
  }),
  wgconfig: call({
    method: 'GET',
    path: '/api/cli/wgconfig',
    summary: "The node's WireGuard configuration in parts.",
    access: 'node',
    reply: wgConfig,
  }),
  gateway: call({
    method: 'PATCH',
    path: '/api/cli/node/gateway',
    summary: 'Changes the subnet behind the node; only for gateways.',
    access: 'node',
    body: ownGatewayInput,
    reply: node,
  }),
  listHttp: call({
    method: 'GET',
    path: '/api/cli/services/http',
    summary: "Lists the node's HTTP services.",
    access: 'node',
    query: allHttpServicesQuery,
    reply: pageOf(httpService),
    paged: true,
  }),
  listTcp: call({
    method: 'GET',
    path: '/api/cli/services/tcp',
    summary: "Lists the node's TCP and UDP services.",
    access: 'node',
    query: allTcpServicesQuery,
    reply: pageOf(tcpService),
    paged: true,
  }),
  exposeHttp: call({
    method: 'POST',
    path: '/api/cli/expose/http',
    summary: 'Exposes a web server of the node; its service of that name, if there is one, is changed and opened.',
    access: 'node',
    body: httpServiceInput,
    reply: savedHttpService,
  }),
  exposeTcp: call({
    method: 'POST',
    path: '/api/cli/expose/tcp',
    summary: 'Exposes a TCP or UDP port of the node; its service of that name, if there is one, is changed and opened.',
    access: 'node',
    body: tcpServiceInput,
    reply: savedTcpService,
  }),
  updateHttp: call({
    method: 'PATCH',
    path: '/api/cli/services/http/{id}',
    summary: 'Changes an HTTP service of the node; fields that are left out stay as they are.',
    access: 'node',
    params,
    body: httpServicePatch,
    reply: savedHttpService,
  }),
  updateTcp: call({
    method: 'PATCH',
    path: '/api/cli/services/tcp/{id}',
    summary: 'Changes a TCP or UDP service of the node; fields that are left out stay as they are.',
    access: 'node',
    params,
    body: tcpServicePatch,
    reply: savedTcpService,
  }),
  enableHttp: call({
    method: 'PATCH',
    path: '/api/cli/services/http/{id}/enable',
    summary: 'Opens an HTTP service of the node, with or without a time to live.',
    access: 'node',
    params,
    body: z.optional(enableInput),
    reply: httpService,
  }),
  disableHttp: call({
    method: 'PATCH',
    path: '/api/cli/services/http/{id}/disable',
    summary: 'Closes an HTTP service of the node.',
    access: 'node',
    params,
    reply: httpService,
  }),
  enableTcp: call({
    method: 'PATCH',
    path: '/api/cli/services/tcp/{id}/enable',
    summary: 'Opens a TCP service of the node, with or without a time to live.',
    access: 'node',
    params,
    body: z.optional(enableInput),
    reply: tcpService,
  }),
  disableTcp: call({
    method: 'PATCH',
    path: '/api/cli/services/tcp/{id}/disable',
    summary: 'Closes a TCP service of the node.',
    access: 'node',
    params,
    reply: tcpService,
  }),
  regenerate: call({
    method: 'PATCH',
    path: '/api/cli/regenerate',
    summary:
      'New keys and a new access token for the node; the old ones die. The new token ends when the one that asks would have ended.',
    access: 'node',
    reply: createdNode,
  }),
} as const;
