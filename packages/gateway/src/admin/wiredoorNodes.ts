import {
  asOneLine,
  check,
  field,
  gatewayNetwork,
  nodeAttributes,
  nodeInput,
  withDefaults,
} from '@sallyport/sdk/contract';
import { gatewayNetworkProblems } from '../api/node/gatewayNetworks.ts';
import { vpnSubnet } from '../rules/ipNetwork.ts';
import { nameKey } from '../store/nameKey.ts';
import type { LocalRoute, UsedAddress } from '../world.ts';
import type { WiredoorData, WiredoorNode, WiredoorToken } from './wiredoorDatabase.ts';

/** What is not taken in, and why. */
export type Left = { what: string; why: string };

/** A node to be made; its host notices nothing. */
export type PlannedNode = {
  /** Its number there. */
  id: number;
  form: ReturnType<typeof withDefaults<typeof nodeAttributes>>;
  keys: NonNullable<WiredoorNode['keys']>;
  isEnabled: boolean;
  /** Those that count; nothing of them is known but their numbers there. */
  tokens: { id: number; name: string; expireAt: string | null }[];
  /** What is otherwise than there. */
  notes: string[];
};

/** The machine on which the gateway is to run. */
export type Machine = { routes: readonly LocalRoute[]; used: readonly UsedAddress[]; now: Date };

/** Of the gateway's own machine. */
const LOCAL_NAME = 'Local';
const KEEPALIVE_SECONDS = 25;
const NAME_MAX_CHARS = 200;

/** A stored name as one that can be shown. */
export const nameOf = (stored: string, otherwise: string): string =>
  asOneLine(stored).trim().slice(0, NAME_MAX_CHARS).toWellFormed() || otherwise;

/** What is wrong with an object, in words. */
export const problemText = (problems: readonly { field: string; message: string }[]): string =>
  problems.map(({ field: name, message }) => `${name}: ${message}`).join('; ');

/** What becomes of the nodes. Those without a key that fits, or with a foreign address, cannot go on. */
export function planNodes(data: WiredoorData, machine: Machine, left: Left[]): PlannedNode[] {
  const { subnet } = data.server;
  const planned: PlannedNode[] = [];
  const names = new Set([nameKey(LOCAL_NAME)]);
  for (const node of data.nodes.filter(({ isLocal }) => !isLocal)) {
    const written = nameOf(node.name, `node ${node.id}`);
    const what = `node ${JSON.stringify(written)}`;
    const leave = (why: string): void => void left.push({ what, why: `${why}; neither are its services` });
    const { keys } = node;
    if (keys === null) {
      leave('its keys are missing or do not belong together');
      continue;
    }
    const isDouble = ({ form, keys: other }: PlannedNode): boolean =>
      form.address === node.address || other.publicKey === keys.publicKey;
    if (!vpnSubnet(subnet).admits(node.address) || planned.some(isDouble)) {
      leave(`its address ${node.address} is none of a node in ${subnet}, or another node has its address or key`);
      continue;
    }
    const name = freeName(written, names);
    const { networks, notes } = possibleNetworks(node, planned, subnet, machine);
    if (name !== written) notes.push(`it is called ${JSON.stringify(name)} here: another node has its name`);
    if (!node.isEnabled) notes.push('it is disconnected, as it was there');
    const body = {
      name,
      address: node.address,
      dns: check(field.addresses, node.dns).ok ? node.dns || null : null,
      keepalive: check(field.integer(0, 120), node.keepalive).ok ? node.keepalive : KEEPALIVE_SECONDS,
      allowInternet: node.allowInternet,
      isGateway: networks.length > 0,
      gatewayNetworks: networks.length > 0 ? networks : null,
    };
    const result = check(nodeInput, body);
    if (!result.ok) {
      leave(problemText(result.problems));
      continue;
    }
    names.add(nameKey(name));
    planned.push({
      id: node.id,
      form: withDefaults(nodeAttributes, result.value),
      keys,
      isEnabled: node.isEnabled,
      tokens: tokensOf(node, data, { now: machine.now, what, left }),
      notes,
    });
  }
  return planned;
}

function freeName(written: string, taken: ReadonlySet<string>): string {
  let name = written;
  for (let number = 2; taken.has(nameKey(name)); number += 1) {
    name = `${written.slice(0, NAME_MAX_CHARS - 10).toWellFormed()}-${number}`;
  }
  return name;
}

/** The networks of a gateway node that can be reached through it on this machine. */
function possibleNetworks(
  node: WiredoorNode,
  planned: readonly PlannedNode[],
  subnet: string,
  { routes, used }: Machine,
): { networks: WiredoorNode['networks']; notes: string[] } {
  const neighbours = planned.map(({ form }) => form);
  const around = { vpnSubnet: subnet, routes, used, neighbours, allowedToToken: null, leftBehind: [] };
  const networks: WiredoorNode['networks'] = [];
  const notes: string[] = [];
  for (const network of node.isGateway ? node.networks : []) {
    const problem = check(gatewayNetwork, network).ok
      ? gatewayNetworkProblems([...networks, network], networks, around, '').at(-1)?.message
      : 'it is no network with an interface';
    if (problem === undefined) networks.push(network);
    else notes.push(`${network.subnet} is not reached through it: ${problem}`);
  }
  return { networks, notes };
}

function tokensOf(
  node: WiredoorNode,
  { tokens, tokenKey }: WiredoorData,
  { now, what, left }: { now: Date; what: string; left: Left[] },
): PlannedNode['tokens'] {
  const counts = ({ id, nodeId, isRevoked, expiresAt }: WiredoorToken): boolean =>
    Number.isSafeInteger(id) &&
    nodeId === node.id &&
    !isRevoked &&
    (expiresAt === null || (expiresAt !== 'unreadable' && expiresAt > now));
  const own = tokens.filter(counts);
  if (tokenKey === null && own.length > 0) {
    left.push({
      what: `access tokens of ${what}`,
      why: 'the file .key is missing, by which they are known; the tunnel needs none',
    });
    return [];
  }
  return own.map(({ id, name, expiresAt }) => ({
    id,
    name: nameOf(name, 'default'),
    expireAt: expiresAt instanceof Date ? expiresAt.toISOString() : null,
  }));
}
