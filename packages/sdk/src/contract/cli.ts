import * as z from 'zod/mini';
import { call } from './endpoint.ts';
import { described, idOf } from './entity.ts';
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
  httpServices: described(z._default(z.array(httpService), []), 'Its HTTP services.'),
  tcpServices: described(z._default(z.array(tcpService), []), 'Its TCP and UDP services.'),
});
export type OwnNode = z.output<typeof ownNode>;

/** The WireGuard configuration of the token's node, in parts. Its private keys go to that node alone. */
export const wgConfig = z.object({
  privateKey: described(z.string(), "The node's private key, base64."),
  address: described(z.string(), "The node's address in the tunnel, as CIDR."),
  dns: z.optional(described(z.string(), 'DNS servers to use while connected.')),
  mtu: z.optional(described(z.int(), 'The largest packet in bytes.')),
  postUp: described(z._default(z.array(z.string()), []), 'Commands once the tunnel is up.'),
  postDown: described(z._default(z.array(z.string()), []), 'Commands once it is down.'),
  gatewayAddress: described(z.optional(z.string()), "The gateway's own address in the tunnel."),
  peer: described(
    z.object({
      publicKey: described(z.string(), "The gateway's public key, base64."),
      preSharedKey: described(z.string(), 'The secret that both share, base64.'),
      allowedIPs: described(z.union([z.string(), z.array(z.string())]), 'What goes through the tunnel, as CIDR.'),
      persistentKeepalive: described(z.int(), 'Seconds between keep-alive packets; 0: none.'),
      endpoint: described(
        z.object({
          url: described(z.string(), '`HOST:PORT`.'),
          host: described(z.string(), 'A name or an address.'),
          port: described(z.union([z.string(), z.int()]), 'The UDP port.'),
        }),
        'Where the gateway is reached.',
      ),
    }),
    'The gateway, as the node sees it.',
  ),
});
export type WgConfig = z.output<typeof wgConfig>;

/** The subnet behind the token's node. */
export const ownGatewayInput = field.object({
  gatewayNetwork: field.network,
  gatewayInterface: field.blankAsNull(described(interfaceName, 'The interface to it.')),
});

const params = z.object({ id: idOf('the service') }, { error: message.object });

/** The calls of a node's own access token: each acts on that node alone, whatever the body says. */
export const cliEndpoints = {
  node: call('GET', '/api/cli/node', "Reads the token's node and its services.", {
    access: 'node',
    query: field.object({
      fresh: z.optional(
        described(
          field.oneOf(['true']),
          'The backends of the services are asked first, unless they were within the last second, or too many are being asked; it takes 3 seconds at most.',
        ),
      ),
    }),
    reply: ownNode,
  }),
  config: call('GET', '/api/cli/config', "The node's WireGuard configuration as one text.", {
    access: 'node',
    reply: z.string(),
  }),
  wgconfig: call('GET', '/api/cli/wgconfig', "The node's WireGuard configuration in parts.", {
    access: 'node',
    reply: wgConfig,
  }),
  gateway: call('PATCH', '/api/cli/node/gateway', 'Changes the subnet behind the node; only for gateways.', {
    access: 'node',
    body: ownGatewayInput,
    reply: node,
  }),
  listHttp: call('GET', '/api/cli/services/http', "Lists the node's HTTP services.", {
    access: 'node',
    query: allHttpServicesQuery,
    reply: pageOf(httpService),
    paged: true,
  }),
  listTcp: call('GET', '/api/cli/services/tcp', "Lists the node's TCP and UDP services.", {
    access: 'node',
    query: allTcpServicesQuery,
    reply: pageOf(tcpService),
    paged: true,
  }),
  exposeHttp: call(
    'POST',
    '/api/cli/expose/http',
    'Exposes a web server of the node; its service of that name, if there is one, is changed and opened.',
    { access: 'node', body: httpServiceInput, reply: savedHttpService },
  ),
  exposeTcp: call(
    'POST',
    '/api/cli/expose/tcp',
    'Exposes a TCP or UDP port of the node; its service of that name, if there is one, is changed and opened.',
    { access: 'node', body: tcpServiceInput, reply: savedTcpService },
  ),
  updateHttp: call(
    'PATCH',
    '/api/cli/services/http/{id}',
    'Changes an HTTP service of the node; fields that are left out stay as they are.',
    { access: 'node', params, body: httpServicePatch, reply: savedHttpService },
  ),
  updateTcp: call(
    'PATCH',
    '/api/cli/services/tcp/{id}',
    'Changes a TCP or UDP service of the node; fields that are left out stay as they are.',
    { access: 'node', params, body: tcpServicePatch, reply: savedTcpService },
  ),
  enableHttp: call(
    'PATCH',
    '/api/cli/services/http/{id}/enable',
    'Opens an HTTP service of the node, with or without a time to live.',
    { access: 'node', params, body: z.optional(enableInput), reply: httpService },
  ),
  disableHttp: call('PATCH', '/api/cli/services/http/{id}/disable', 'Closes an HTTP service of the node.', {
    access: 'node',
    params,
    reply: httpService,
  }),
  enableTcp: call(
    'PATCH',
    '/api/cli/services/tcp/{id}/enable',
    'Opens a TCP service of the node, with or without a time to live.',
    { access: 'node', params, body: z.optional(enableInput), reply: tcpService },
  ),
  disableTcp: call('PATCH', '/api/cli/services/tcp/{id}/disable', 'Closes a TCP service of the node.', {
    access: 'node',
    params,
    reply: tcpService,
  }),
  regenerate: call(
    'PATCH',
    '/api/cli/regenerate',
    'New keys and a new access token for the node; the old ones die. The new token ends when the one that asks would have ended.',
    { access: 'node', reply: createdNode },
  ),
} as const;
