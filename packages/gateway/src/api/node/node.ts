import {
  addressesIn,
  type CreatedNode,
  message,
  type Node,
  node as nodeEntity,
  nodeAttributes,
  type NodeInput,
  nodeInput,
  type NodeQuery,
  type Page,
  pickAttributes,
  soundRows,
  withDefaults,
} from '@sallyport/sdk/contract';
import { nodeCan } from '@sallyport/sdk/rules';
import { damageProblem, definedOnly, shownPage } from '../entities.ts';
import {
  checked,
  failure,
  refuseProblems,
  requireAllowed,
  requireSameId,
  requireVersion,
  takenMessage,
} from '../failure.ts';
import type { LocalRoute, SealedNodeKeys, UsedAddress } from '../../world.ts';
import { nameKey } from '../../store/nameKey.ts';
import type { NodeRow, Outcome, TokenRow } from '../../store/rows.ts';
import type { Transaction } from '../../store/transaction.ts';
import type { Context, HandlersOf } from '../context.ts';
import { gatewayNetworkProblems } from './gatewayNetworks.ts';
import { configurationOf, pageOfAll, runtimeOrder } from './nodeRows.ts';
import { isForAllNodes, isHost, nodesOf } from '../identity.ts';
import { createNodeToken, FIRST_TOKEN_NAME } from '../token/token.ts';
import { higherAddress, overlaps, vpnSubnet } from '../../rules/ipNetwork.ts';
import { watchValue } from '../watch.ts';

/** By which a gateway node reaches its subnet, unless it is said. */
export const DEFAULT_INTERFACE = 'eth0';

const SILENT = { clientIp: null, latestHandshakeTimestamp: null, transferRx: null, transferTx: null } as const;

const sound = soundRows(nodeEntity);

/**
 * A node as it is answered: the stored row with what the tunnel knows. What administrators note about it is theirs: a host
 * or its token gets lost, so neither is told.
 */
export function showNode(whole: NodeRow, { world, caller }: Pick<Context, 'world' | 'caller'>): Node {
  const { createdAt, updatedAt, ...stored } = whole;
  const { row, damaged } = sound({ ...stored, created_at: createdAt, updated_at: updatedAt });
  const runtime = row.isLocal
    ? { ...SILENT, status: 'online' as const }
    : row.enabled
      ? world.nodeRuntime(row.id)
      : { ...SILENT, status: 'offline' as const };
  return {
    ...row,
    ...(isHost(caller) && { tags: [], notes: null }),
    ...runtime,
    gatewayNetwork: row.gatewayNetworks?.[0]?.subnet ?? null,
    problem: world.problem('node', row.id) ?? damageProblem(damaged),
  };
}

async function listNodes(query: NodeQuery, context: Context): Promise<Page<Node>> {
  const { store, caller } = context;
  const { type, ...options } = query;
  const nodes = nodesOf(caller);
  const among = nodes === null ? undefined : { id: nodes };
  const where = type === undefined ? {} : { isGateway: type === 'gateways' };
  const order = runtimeOrder(query.orderBy);
  if (order !== null) {
    const rows = await store.nodes.list({ search: query.search, tag: query.tag, where, among });
    return pageOfAll(rows.data.map((row) => showNode(row, context)).toSorted(order), query);
  }
  return shownPage(await store.nodes.list({ ...options, where, among }), (row) => showNode(row, context));
}

async function shown(id: number, context: Context): Promise<Node> {
  return showNode(found(await context.store.nodes.get(id)), context);
}

function found(row: NodeRow | null): NodeRow {
  if (row === null) throw failure.notFound('Node not found!');
  return row;
}

/** What an administrator said about a node; the address is null where the gateway is to choose it. */
type Form = Omit<Pick<NodeRow, keyof typeof nodeAttributes>, 'address'> & { address: string | null };

/** The whole of what is said about a node, once a change is made to what was said before. */
function formOf(before: Partial<NodeRow>, change: { [K in keyof NodeInput]?: NodeInput[K] | undefined }): Form {
  const { gatewayNetwork: subnet, ...given } = definedOnly(change);
  const said = { ...pickAttributes(nodeAttributes, before), ...given };
  if (given.gatewayNetworks === undefined) {
    const [first, ...others] = before.gatewayNetworks ?? [];
    // The short form is the first of the networks: the others and the interface stay.
    if (typeof subnet === 'string') {
      said.gatewayNetworks = [{ interface: first?.interface ?? DEFAULT_INTERFACE, subnet }, ...others];
    }
    // Anyone who unticks "gateway" clears its networks with it.
    if (subnet === null || (given.isGateway === false && subnet === undefined)) said.gatewayNetworks = null;
  } else if (typeof subnet === 'string' && given.gatewayNetworks?.[0]?.subnet !== subnet) {
    throw failure.invalid([{ field: 'gatewayNetwork', message: message.invalid }]);
  }
  if (given.isGateway === false && given.resolver === undefined) said.resolver = null;
  const form: Form = withDefaults(nodeAttributes, checked(nodeInput, said));
  return {
    ...form,
    gatewayNetworks: form.gatewayNetworks?.length ? form.gatewayNetworks : null,
    allowedNetworks: form.allowedNetworks?.length ? form.allowedNetworks : null,
  };
}

/** The name tells a node from the others, in the console as on a command line. @param id the node's own; null: it is new */
async function refuseTakenName(tx: Transaction, name: string, id: number | null): Promise<void> {
  const key = nameKey(name);
  const isTaken = (await tx.nodes.all()).some((node) => node.id !== id && nameKey(node.name) === key);
  refuseProblems([isTaken && { field: 'name', message: takenMessage('name') }]);
}

/**
 * The address that is asked for, else `current`, else the next free one: that of a node that was just deleted is not
 * given again at once, as visitors may still have connections there.
 */
async function addressFor(
  tx: Transaction,
  { settings }: Context,
  wanted: string | null | undefined,
  current: string | null,
): Promise<string> {
  const subnet = vpnSubnet(settings.vpnSubnet);
  if (!wanted) {
    if (current !== null) return current;
    const taken = new Set((await tx.nodes.all()).map((node) => node.address));
    const address = subnet.nextFree(taken, await tx.settings.get('lastNodeAddress'));
    if (address === null) throw failure.rejected(`There is no free address left in ${settings.vpnSubnet}`);
    await tx.settings.set('lastNodeAddress', address);
    return address;
  }
  refuseProblems([
    wanted !== current &&
      !subnet.admits(wanted) && {
        field: 'address',
        message: `The address must be within ${settings.vpnSubnet} and not the gateway's own`,
      },
  ]);
  return wanted;
}

/** What of the machine is asked before the transaction, which may not ask. */
type Machine = { routes: LocalRoute[]; used: UsedAddress[] };

export const machineOf = async ({ world }: Context): Promise<Machine> => ({
  routes: await world.localRoutes(),
  used: await world.usedAddresses(),
});

/**
 * @param before null: the node is new
 * @param said the body, whose own name for the first network the refusal takes up
 */
async function refuseNetworks(
  tx: Transaction,
  { gatewayNetworks }: Form,
  before: NodeRow | null,
  said: Pick<NodeInput, 'gatewayNetwork'>,
  { routes, used, settings, caller, world }: Machine & Pick<Context, 'settings' | 'caller' | 'world'>,
): Promise<void> {
  if (gatewayNetworks === null) return;
  const nodes = await tx.nodes.all();
  const neighbours = nodes.filter(({ id, isGateway }) => isGateway && id !== before?.id);
  const allowed = before?.allowedNetworks;
  // A list that was damaged by hand allows nothing, and a host that joins by a code was allowed nothing.
  const isTrusted = isForAllNodes(caller);
  const allowedToToken = isTrusted ? null : Array.isArray(allowed) ? allowed : [];
  const leftBehind = allowedToToken === null ? [] : world.leftBehind(nodes, before?.id ?? null);
  const surroundings = { vpnSubnet: settings.vpnSubnet, routes, used, neighbours, allowedToToken, leftBehind };
  const first = said.gatewayNetwork ? 'gatewayNetwork' : 'gatewayNetworks.0.subnet';
  refuseProblems(gatewayNetworkProblems(gatewayNetworks, before?.gatewayNetworks ?? [], surroundings, first));
}

/**
 * The gateway's questions go to no other network than the node's own. A host that changes its networks is not refused for
 * what it did not say: what is in none of them is not asked.
 */
function refuseResolver(
  { resolver }: { resolver?: string | null | undefined },
  { gatewayNetworks }: Form,
  address: string,
): void {
  if (!resolver) return;
  const networks = [address, ...(gatewayNetworks ?? []).map(({ subnet }) => subnet)];
  const isBehind = networks.some((network) => overlaps(network, resolver));
  refuseProblems([!isBehind && { field: 'resolver', message: `The DNS server must be within ${networks.join(', ')}` }]);
}

/** What is said about a new node. @throws {Failure} 422 */
export const newNodeForm = (said: Partial<NodeInput>): Form => formOf({}, said);

/** Makes a node. @throws {Failure} 422 when its name or its networks are taken, 400 when there is no address left */
export async function createNode(
  tx: Transaction,
  context: Context,
  {
    form,
    said,
    machine,
    keys,
  }: { form: Form; said: Pick<NodeInput, 'gatewayNetwork'>; machine: Machine; keys: SealedNodeKeys },
): Promise<NodeRow> {
  await refuseNetworks(tx, form, null, said, { ...context, ...machine });
  const address = await addressFor(tx, context, form.address, null);
  refuseResolver(form, form, address);
  await refuseTakenName(tx, form.name, null);
  return tx.nodes.create({ ...form, address, ...keys, isLocal: false, enabled: true });
}

/** What of a node concerns it alone. Its networks have rules of their own. */
const OF_THE_NODE_ALONE: ReadonlySet<string> = new Set<keyof Form>([
  'name',
  'dns',
  'keepalive',
  'gatewayNetworks',
  'tags',
  'notes',
  'advanced',
]);

/**
 * A token for some nodes gives them nothing that is the administrator's alone to give: use of the gateway's internet
 * connection, an address that others' lists may know, another's domains or networks.
 */
function refuseGrants(next: Form, before: NodeRow, { caller }: Pick<Context, 'caller'>): void {
  if (nodesOf(caller) === null) return;
  const isSame = (field: keyof Form) => JSON.stringify(next[field]) === JSON.stringify(before[field]);
  refuseProblems(
    (Object.keys(nodeAttributes) as (keyof Form)[]).map(
      (field) =>
        !OF_THE_NODE_ALONE.has(field) &&
        !isSame(field) && { field, message: 'A token that is limited to some nodes cannot change this' },
    ),
  );
}

/** Whatever may change what a node shows. */
function subscribe({ store, world }: Context, signal: () => void): () => void {
  const stops = [
    store.onChange((changes) => {
      if (changes.some((change) => change.kind === 'node')) signal();
    }),
    world.onFindings(signal),
    world.onNodeRuntime(signal),
  ];
  return () => stops.forEach((stop) => stop());
}

async function setEnabled(id: number, enabled: boolean, context: Context): Promise<Node> {
  await context.write(async (tx) => {
    const row = found(await tx.nodes.get(id));
    requireAllowed(enabled ? nodeCan.enable(row) : nodeCan.disable(row));
    requireVersion(row, context);
    if (row.enabled !== enabled) await tx.nodes.update(id, { enabled });
  });
  return shown(id, context);
}

const madeNode = ({ id, token }: { id: number; token: { row: TokenRow } }): Outcome => ({ id, tokenId: token.row.id });

export const nodeHandlers: HandlersOf<'node'> = {
  'node.list': ({ query }, context) => listNodes(query, context),

  'node.get': ({ params }, context) => shown(params.id, context),

  async 'node.watch'({ query }, context) {
    return watchValue({
      key: `node.watch ${JSON.stringify(query)}`,
      read: () => listNodes(query, context),
      subscribe: (signal) => subscribe(context, signal),
      failed: context.failed,
    });
  },

  async 'node.watchOne'({ query: { id } }, context) {
    found(await context.store.nodes.get(id));
    return watchValue({
      key: `node.watchOne ${id}`,
      async read() {
        const row = await context.store.nodes.get(id);
        return row === null ? null : showNode(row, context);
      },
      subscribe: (signal) => subscribe(context, signal),
      failed: context.failed,
    });
  },

  async 'node.config'({ params }, context) {
    const row = found(await context.store.nodes.get(params.id));
    requireAllowed(nodeCan.download(row));
    return configurationOf(row, context).text;
  },

  async 'node.download'({ params, query }, context) {
    const row = found(await context.store.nodes.get(params.id));
    requireAllowed(nodeCan.download(row));
    const { fileName, text, appText } = configurationOf(row, context);
    return { fileName, contentType: 'text/plain; charset=utf-8', body: query.for === 'app' ? appText : text };
  },

  async 'node.create'({ body }, context): Promise<CreatedNode> {
    const fields = formOf({}, body);
    const machine = await machineOf(context);
    const keys = context.world.newNodeKeys();
    const { id, token } = await context.write(async (tx) => {
      const row = await createNode(tx, context, { form: fields, said: body, machine, keys });
      return { id: row.id, token: await createNodeToken(tx, row.id, { name: FIRST_TOKEN_NAME, expireAt: null }) };
    }, madeNode);
    return { ...(await shown(id, context)), token: token.secret };
  },

  async 'node.update'({ params: { id }, body: { id: bodyId, ...patch } }, context) {
    requireSameId(bodyId, id);
    const machine = await machineOf(context);
    await context.write(async (tx) => {
      const row = found(await tx.nodes.get(id));
      requireAllowed(nodeCan.update(row));
      requireVersion(row, context);
      // What was stored before addresses were checked goes with the next change.
      const dns = addressesIn(row.dns).join(', ') || null;
      const fields = formOf({ ...row, dns }, patch);
      refuseGrants(fields, row, context);
      await refuseNetworks(tx, fields, row, patch, { ...context, ...machine });
      const address = await addressFor(tx, context, fields.address, row.address);
      refuseResolver(patch, fields, address);
      if (fields.name !== row.name) await refuseTakenName(tx, fields.name, id);
      await tx.nodes.update(id, { ...fields, address });
    });
    return shown(id, context);
  },

  'node.enable': ({ params }, context) => setEnabled(params.id, true, context),
  'node.disable': ({ params }, context) => setEnabled(params.id, false, context),

  async 'node.remove'({ params: { id } }, context) {
    await context.write(async (tx) => {
      const row = found(await tx.nodes.get(id));
      requireAllowed(nodeCan.remove(row));
      requireVersion(row, context);
      await tx.nodes.remove(id);
      // Nodes that get an address next begin above it.
      const last = await tx.settings.get('lastNodeAddress');
      const highest = higherAddress(row.address, last);
      if (highest !== null) await tx.settings.set('lastNodeAddress', highest);
    });
    return 'Deleted!';
  },
};
