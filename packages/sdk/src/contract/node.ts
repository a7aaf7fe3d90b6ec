import * as z from 'zod/mini';
import { attribute, factsOf, givenOf, initialsOf } from './attribute.ts';
import { call, file, stream } from './endpoint.ts';
import { findings, idOf, optionalFact, stored } from './entity.ts';
import { field } from './field.ts';
import { ofForms } from './ofForms.ts';
import { message } from './message.ts';
import { listQuery, pageOf } from './paging.ts';
import { rule } from './rule.ts';

/** Whether a node's tunnel is alive: something arrives (online), nothing does though it was up lately (idle), or neither. */
export const nodeStatus = z.enum(['online', 'idle', 'offline']);
export type NodeStatus = z.output<typeof nodeStatus>;

/** The subsets of the nodes list: plain nodes (the local one included) or gateways. */
export const nodeType = ['nodes', 'gateways'] as const;

// Part of a command that the node's host runs as root. The empty name has its own message.
// `all` and `default` are every interface of the host, and `lo` leads nowhere.
const INTERFACE_NAME = /^(?!(?:all|default|lo)$)(?:[A-Za-z0-9][A-Za-z0-9_.-]*)?$/;
/** The name of a network interface. */
export const interfaceName = field.requiredText(15).check(z.regex(INTERFACE_NAME, { error: message.invalid }));

/** A subnet behind a gateway node, and the interface by which the node reaches it. */
export const gatewayNetwork = field.object({
  interface: interfaceName.check(z.meta({ description: 'The interface by which the node reaches it.' })),
  subnet: field.network.check(z.meta({ description: 'As CIDR.' })),
});
export type GatewayNetwork = z.output<typeof gatewayNetwork>;

/** What an administrator says about a node; a line is a field. */
export const nodeAttributes = {
  name: attribute.required(field.requiredText(), 'What it is called.'),
  address: attribute.assigned(field.ipv4, 'IPv4 within the VPN, without CIDR.'),
  dns: attribute.optional(
    field.addresses,
    'DNS servers that the node uses while connected, with a comma or a space between them.',
  ),
  // With a longer one, services could be down for that long after a NAT rebinding.
  keepalive: attribute.defaulted(10, field.integer(0, 120), 'Seconds between keep-alive packets; 0: none.'),
  allowInternet: attribute.defaulted(false, field.boolean, 'Send all internet traffic through the VPN.'),
  isGateway: attribute.defaulted(
    false,
    field.boolean,
    'It is a gateway: the subnets behind it are reached through it.',
  ),
  gatewayNetworks: attribute.optional(
    z.array(gatewayNetwork, { error: message.array }),
    'The subnets behind a gateway, each with the interface to it.',
  ),
  allowAnyDomain: attribute.defaulted(
    false,
    field.boolean,
    'Its access tokens may use every domain, also those of the administrator.',
  ),
  allowedNetworks: attribute.optional(
    field.listOf(field.network),
    'Networks that its access tokens may put behind it although they are not private.',
  ),
  advanced: attribute.defaulted(false, ofForms(field.boolean), 'The form shows its advanced fields.'),
};

/** The short form of `gatewayNetworks`, which is not stored. */
const shortForm = attribute.optional(field.network, 'The first of `gatewayNetworks`, as CIDR.');

/** A client node, a gateway to a subnet, or the local node (the gateway's own machine, id 1). */
export const node = z.object({
  ...stored,
  ...factsOf({ ...nodeAttributes, gatewayNetwork: shortForm }),
  isLocal: z.boolean().check(z.meta({ description: "It is the gateway's own machine." })),
  enabled: z.boolean().check(z.meta({ description: 'It may connect, and its services are open.' })),
  status: z
    ._default(nodeStatus, 'offline')
    .check(z.meta({ description: '`idle`: the tunnel was up lately, but nothing arrives.' })),
  clientIp: optionalFact(z.string()).check(z.meta({ description: 'Where the tunnel comes from.' })),
  latestHandshakeTimestamp: optionalFact(z.number()).check(z.meta({ description: 'Milliseconds since 1970.' })),
  transferRx: optionalFact(z.number()).check(z.meta({ description: 'Bytes received from the node.' })),
  transferTx: optionalFact(z.number()).check(z.meta({ description: 'Bytes sent to the node.' })),
  ...findings,
});
export type Node = z.output<typeof node>;

/** The fields of the node form, without the rule that joins two of them. */
export const nodeShape = field.object(givenOf({ ...nodeAttributes, gatewayNetwork: shortForm }));

/**
 * A new node. `gatewayNetworks` is the full form of `gatewayNetwork`; a gateway needs one of the two, any other node
 * must have neither.
 */
export const nodeInput = nodeShape.check(
  rule<z.output<typeof nodeShape>>(({ isGateway, gatewayNetwork: subnet, gatewayNetworks: networks }) => {
    const given = Boolean(subnet || networks?.length);
    // Named as it was sent.
    const missing = Array.isArray(networks) ? 'gatewayNetworks' : 'gatewayNetwork';
    if (isGateway) return [!given && { field: missing, message: message.required }];
    return [
      Boolean(subnet) && { field: 'gatewayNetwork', message: message.oneOf(['null']) },
      Boolean(networks?.length) && { field: 'gatewayNetworks', message: message.oneOf(['null']) },
    ];
  }),
);
/** What a caller gives for a new node. */
export type NodeInput = z.input<typeof nodeInput>;

/** A change of a node: what is left out stays as it is. */
export const nodePatch = z.extend(z.partial(nodeShape), { id: z.optional(idOf('the node')) });

/** What a new node starts with. */
export const nodeDefaults = initialsOf(nodeAttributes);

/** A node as its creation answers it: `token` is shown this once. */
export const createdNode = z.extend(node, {
  token: z.string().check(z.meta({ description: 'The secret of its access token, shown this once.' })),
});
export type CreatedNode = z.output<typeof createdNode>;

const params = z.object({ id: idOf('the node') }, { error: message.object });

/** What the nodes list can be ordered by. */
const nodeColumns = [
  'id',
  'name',
  'address',
  'isGateway',
  'status',
  'latestHandshakeTimestamp',
  'transferRx',
  'transferTx',
  'created_at',
] as const;

/**
 * Who reads a downloaded configuration: `wg-quick`, or one of WireGuard's apps, which take no commands and know DNS
 * servers by themselves.
 */
export const configurationReaders = ['wg-quick', 'app'] as const;

/** The query of the nodes list, and of its stream. */
export const nodeQuery = z.strictObject(
  {
    ...listQuery(nodeColumns),
    type: z.optional(field.oneOf(nodeType).check(z.meta({ description: 'Plain nodes alone, or gateways alone.' }))),
  },
  { error: message.object },
);
export type NodeQuery = z.output<typeof nodeQuery>;

/** The calls about nodes. */
export const nodeEndpoints = {
  list: call({
    method: 'GET',
    path: '/api/nodes',
    summary: 'Lists the nodes; the local node comes first.',
    access: 'admin',
    query: nodeQuery,
    reply: pageOf(node),
    paged: true,
  }),
  watchOne: stream({
    path: '/api/nodes/stream',
    summary: 'Streams one node, whenever it changes.',
    access: 'admin',
    query: z.strictObject({ id: idOf('the node') }, { error: message.object }),
    event: node,
    reconnectMs: null,
  }),
  watch: stream({
    path: '/api/nodes/stream',
    summary:
      'Streams the page of the nodes list that the query asks for, whole, whenever it changes. Without `as=page` in the header `Accept: text/event-stream; as=page`, an event is the bare array of its nodes.',
    access: 'admin',
    query: nodeQuery,
    pagesOnRequest: true,
    event: pageOf(node),
    reconnectMs: 1000,
  }),
  get: call({
    method: 'GET',
    path: '/api/nodes/{id}',
    summary: 'Reads a node.',
    access: 'admin',
    params,
    reply: node,
  }),
  config: call({
    method: 'GET',
    path: '/api/nodes/{id}/config',
    summary: "The node's WireGuard configuration as one text.",
    access: 'admin',
    params,
    reply: z.string(),
  }),
  download: file({
    path: '/api/nodes/{id}/download',
    summary: "Downloads the node's WireGuard configuration.",
    access: 'admin',
    params,
    query: z.strictObject(
      {
        for: z.optional(
          field.oneOf(configurationReaders).check(z.meta({ description: 'Who reads it; `wg-quick` when left out.' })),
        ),
      },
      { error: message.object },
    ),
    fileName: 'config.conf',
  }),
  create: call({
    method: 'POST',
    path: '/api/nodes',
    summary: 'Creates a node and its first access token.',
    access: 'admin',
    body: nodeInput,
    reply: createdNode,
  }),
  update: call({
    method: 'PATCH',
    path: '/api/nodes/{id}',
    summary: 'Changes a node; fields that are left out stay as they are.',
    access: 'admin',
    params,
    body: nodePatch,
    reply: node,
  }),
  enable: call({
    method: 'PATCH',
    path: '/api/nodes/{id}/enable',
    summary: 'Lets the node connect again.',
    access: 'admin',
    params,
    reply: node,
  }),
  disable: call({
    method: 'PATCH',
    path: '/api/nodes/{id}/disable',
    summary: 'Disconnects the node; its services answer 503.',
    access: 'admin',
    params,
    reply: node,
  }),
  remove: call({
    method: 'DELETE',
    path: '/api/nodes/{id}',
    summary: 'Deletes the node, its services and its access tokens.',
    access: 'admin',
    params,
    reply: z.string(),
  }),
} as const;
