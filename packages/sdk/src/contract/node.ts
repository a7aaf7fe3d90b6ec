import * as z from 'zod/mini';
import { attribute, factsOf, givenOf, initialsOf, ofForms } from './attribute.ts';
import { call, file, stream } from './endpoint.ts';
import { described, findings, idOf, optionalFact, rule, stored } from './entity.ts';
import { field } from './field.ts';
import { message } from './message.ts';
import { noteAttributes, tagFilter } from './notes.ts';
import { listQuery, pageOf } from './paging.ts';

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
  interface: described(interfaceName, 'The interface by which the node reaches it.'),
  subnet: described(field.network, 'As CIDR.'),
});
export type GatewayNetwork = z.output<typeof gatewayNetwork>;

/** More than any host leads to: each is compared with all others of the gateway. */
const GATEWAY_NETWORKS_MAX = 100;

/** The subnets behind a gateway node. */
export const gatewayNetworks = z
  .array(gatewayNetwork, { error: message.array })
  .check(z.maxLength(GATEWAY_NETWORKS_MAX, { error: message.arrayMax(GATEWAY_NETWORKS_MAX) }));

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
  gatewayNetworks: attribute.optional(gatewayNetworks, 'The subnets behind a gateway, each with the interface to it.'),
  resolver: attribute.optional(
    field.ipv4,
    'The DNS server that the gateway asks for the names of backends behind a gateway, an address of its subnets; null: the node itself.',
  ),
  allowAnyDomain: attribute.defaulted(
    false,
    field.boolean,
    'Its access tokens may use every domain, also those of the administrator.',
  ),
  allowedNetworks: attribute.optional(
    field.listOf(field.network),
    'Networks that its access tokens may put behind it although they are not private, or a large part of a private range.',
  ),
  ...noteAttributes,
  advanced: attribute.defaulted(false, ofForms(field.boolean), 'The form shows its advanced fields.'),
};

/** The short form of `gatewayNetworks`, which is not stored. */
const shortForm = attribute.optional(field.network, 'The first of `gatewayNetworks`, as CIDR.');

/** A client node, a gateway to a subnet, or the local node (the gateway's own machine, id 1). */
export const node = z.object({
  ...stored,
  ...factsOf({ ...nodeAttributes, gatewayNetwork: shortForm }),
  isLocal: described(z.boolean(), "It is the gateway's own machine."),
  enabled: described(z.boolean(), 'It may connect, and its services are open.'),
  status: described(z._default(nodeStatus, 'offline'), '`idle`: the tunnel was up lately, but nothing arrives.'),
  clientIp: described(optionalFact(z.string()), 'Where the tunnel comes from.'),
  latestHandshakeTimestamp: described(optionalFact(z.number()), 'Milliseconds since 1970.'),
  transferRx: described(optionalFact(z.number()), 'Bytes received from the node.'),
  transferTx: described(optionalFact(z.number()), 'Bytes sent to the node.'),
  ...findings,
});
export type Node = z.output<typeof node>;

/** The fields of the node form, without the rule that joins two of them. */
export const nodeShape = field.object(givenOf({ ...nodeAttributes, gatewayNetwork: shortForm }));

/**
 * A new node. `gatewayNetworks` is the full form of `gatewayNetwork`; a gateway needs one of the two, any other node
 * must have neither, and no resolver.
 */
export const nodeInput = nodeShape.check(
  rule<z.output<typeof nodeShape>>(({ isGateway, gatewayNetwork: subnet, gatewayNetworks: networks, resolver }) => {
    const given = Boolean(subnet || networks?.length);
    // Named as it was sent.
    const missing = Array.isArray(networks) ? 'gatewayNetworks' : 'gatewayNetwork';
    if (isGateway) return [!given && { field: missing, message: message.required }];
    return [
      Boolean(subnet) && { field: 'gatewayNetwork', message: message.oneOf(['null']) },
      Boolean(networks?.length) && { field: 'gatewayNetworks', message: message.oneOf(['null']) },
      Boolean(resolver) && { field: 'resolver', message: message.oneOf(['null']) },
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
  token: described(z.string(), 'The secret of its access token, shown this once.'),
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
export const nodeQuery = field.object({
  ...listQuery(nodeColumns),
  ...tagFilter,
  type: z.optional(described(field.oneOf(nodeType), 'Plain nodes alone, or gateways alone.')),
});
export type NodeQuery = z.output<typeof nodeQuery>;

/** The calls about nodes. */
export const nodeEndpoints = {
  list: call('GET', '/api/nodes', 'Lists the nodes; the local node comes first.', {
    rights: ['nodes:read'],
    node: 'reply',
    query: nodeQuery,
    reply: pageOf(node),
    paged: true,
  }),
  watchOne: stream('/api/nodes/stream', 'Streams one node, whenever it changes.', {
    rights: ['nodes:read'],
    node: 'query.id',
    query: field.object({ id: idOf('the node') }),
    event: node,
    reconnectMs: null,
  }),
  watch: stream(
    '/api/nodes/stream',
    'Streams the page of the nodes list that the query asks for, whole, whenever it changes. Without `as=page` in the header `Accept: text/event-stream; as=page`, an event is the bare array of its nodes.',
    {
      rights: ['nodes:read'],
      node: 'reply',
      query: nodeQuery,
      pagesOnRequest: true,
      event: pageOf(node),
      reconnectMs: 1000,
    },
  ),
  get: call('GET', '/api/nodes/{id}', 'Reads a node.', {
    rights: ['nodes:read'],
    node: 'params.id',
    params,
    reply: node,
  }),
  config: call('GET', '/api/nodes/{id}/config', "The node's WireGuard configuration as one text.", {
    // It holds the node's private key, with which one is the node.
    rights: ['tokens:write'],
    node: 'params.id',
    params,
    reply: z.string(),
  }),
  download: file('/api/nodes/{id}/download', "Downloads the node's WireGuard configuration.", {
    rights: ['tokens:write'],
    node: 'params.id',
    params,
    query: field.object({
      for: z.optional(described(field.oneOf(configurationReaders), 'Who reads it; `wg-quick` when left out.')),
    }),
    fileName: 'config.conf',
  }),
  create: call('POST', '/api/nodes', 'Creates a node and its first access token.', {
    // A token that is limited to some nodes makes none. The answer holds an access token.
    rights: ['nodes:write', 'tokens:write'],
    body: nodeInput,
    reply: createdNode,
  }),
  update: call('PATCH', '/api/nodes/{id}', 'Changes a node; fields that are left out stay as they are.', {
    rights: ['nodes:write'],
    node: 'params.id',
    params,
    body: nodePatch,
    reply: node,
  }),
  enable: call('PATCH', '/api/nodes/{id}/enable', 'Lets the node connect again.', {
    rights: ['nodes:write'],
    node: 'params.id',
    params,
    reply: node,
  }),
  disable: call('PATCH', '/api/nodes/{id}/disable', 'Disconnects the node; its services answer 503.', {
    rights: ['nodes:write'],
    node: 'params.id',
    params,
    reply: node,
  }),
  remove: call('DELETE', '/api/nodes/{id}', 'Deletes the node, its services and its access tokens.', {
    rights: ['nodes:write', 'services:write', 'tokens:write'],
    node: 'params.id',
    params,
    reply: z.string(),
  }),
} as const;
