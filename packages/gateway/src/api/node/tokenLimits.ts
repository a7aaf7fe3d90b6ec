import { type Failure, failure } from '../failure.ts';
import type { HttpServiceRow, NodeRow, TcpServiceRow } from '../../store/rows.ts';
import type { Transaction } from '../../store/transaction.ts';
import type { Health, World, Write } from '../../world.ts';
import type { Context } from '../context.ts';
import type { Identity } from '../identity.ts';

// What the access tokens of one node may fill, all of them together, of what all nodes share: decision 0030. Administrators
// have no limits.

/**
 * How many changes may be under way: each holds a body, from its first byte until it is answered. As many reads, each of
 * which holds an answer of up to two megabytes, until the reader has taken it.
 */
export const NODE_CALLS_UNDER_WAY = 64;
/** How many changes may be refused at once: to find the faults of a body takes up to a quarter of a second. */
export const NODE_REFUSALS = 120;
/** After so long one more may be refused. */
export const NODE_REFUSAL_EVERY_MS = 2000;
/** How many reads may be made at once: one of many services takes tens of milliseconds, in which no one else is answered. */
export const NODE_READS = 240;
/** After so long one more may be made. */
export const NODE_READ_EVERY_MS = 250;
/** Each stream keeps one or two megabytes for a reader that does not read. */
const NODE_STREAMS = 32;
/** How many changes may be made at once. */
export const NODE_CHANGES = 60;
/** After so long one more may be made. */
export const NODE_CHANGE_EVERY_MS = 10_000;
/** How many streams may be opened at once: all of a node's, again and again while its connection comes and goes. */
export const NODE_OPENINGS = 120;
/** After so long one more may be opened. A client waits as long before it opens a stream again. */
export const NODE_OPENING_EVERY_MS = 1000;

/** Counts one more thing of a caller's, until what it returns is called. @throws {Failure} 429 */
type Counter = (caller: Identity | null) => () => void;

/** What the tokens of each node have open and have changed of late. */
export function createTokenLimits(now: () => Date) {
  const change = pace(now, { most: NODE_CHANGES, everyMs: NODE_CHANGE_EVERY_MS, tooMany: failure.tooManyWrites });
  return {
    changesUnderWay: counter(NODE_CALLS_UNDER_WAY, failure.tooManyUnderWay('changes')),
    readsUnderWay: counter(NODE_CALLS_UNDER_WAY, failure.tooManyUnderWay('reads')),
    /** Counts a change as refused, until what it returns is called. @throws {Failure} 429 and the seconds to wait */
    refusal: pace(now, { most: NODE_REFUSALS, everyMs: NODE_REFUSAL_EVERY_MS, tooMany: failure.tooManyRefusals }),
    /** Counts a read that is no stream, or a connection for several streams. @throws {Failure} 429 and the seconds to wait */
    reading: pace(now, { most: NODE_READS, everyMs: NODE_READ_EVERY_MS, tooMany: failure.tooManyReads }),
    streams: counter(NODE_STREAMS, failure.tooManyStreams),
    /** Counts a stream that is opened: each reads up to 10,000 lines. @throws {Failure} 429 and the seconds to wait */
    opening: pace(now, { most: NODE_OPENINGS, everyMs: NODE_OPENING_EVERY_MS, tooMany: failure.tooManyOpenings }),
    /**
     * The way in which a caller writes. It fails with 429 and the seconds to wait. What the transaction refuses does not
     * count; what nginx refuses does, for it was asked. What is to end by itself counts twice, as it changes nginx twice.
     */
    paced(write: Write, caller: Identity | null, body: unknown): Write {
      if (caller?.type !== 'node') return write;
      const changes = hasTimeToLive(body) ? 2 : 1;
      return async (work, outcome) => {
        // Before it is made: changes that come at the same time cannot pass together.
        const giveBack = change(caller, changes);
        let isMade = false;
        try {
          return await write(async (tx) => {
            const value = await work(tx);
            isMade = true;
            return value;
          }, outcome);
        } catch (error) {
          if (!isMade) giveBack();
          throw error;
        }
      };
    },
  };
}

const hasTimeToLive = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'ttl' in body && typeof body.ttl === 'string';

type Pace = {
  /** How much may be done at once. */
  most: number;
  /** After so long one more may be done. */
  everyMs: number;
  tooMany(retryAfterSeconds: number): Failure;
};

/** Counts what is done of late; what it returns takes that back. @throws {Failure} 429 and the seconds to wait */
function pace(
  now: () => Date,
  { most, everyMs, tooMany }: Pace,
): (caller: Identity | null, count?: number) => () => void {
  /** By the node's id: when all that it did will be forgotten, in milliseconds since 1970. */
  const forgottenAt = new Map<number, number>();
  return (caller, count = 1) => {
    if (caller?.type !== 'node') return () => undefined;
    const { nodeId } = caller;
    const costMs = count * everyMs;
    const busyUntil = (): number => Math.max(forgottenAt.get(nodeId) ?? 0, now().getTime());
    const until = busyUntil() + costMs;
    const waitMs = until - now().getTime() - most * everyMs;
    if (waitMs > 0) throw tooMany(Math.ceil(waitMs / 1000));
    forgottenAt.set(nodeId, until);
    return () => void forgottenAt.set(nodeId, busyUntil() - costMs);
  };
}

function counter(most: number, tooMany: (most: number) => Failure): Counter {
  const counts = new Map<number, number>();
  return (caller) => {
    if (caller?.type !== 'node') return () => undefined;
    const { nodeId } = caller;
    const count = counts.get(nodeId) ?? 0;
    if (count >= most) throw tooMany(most);
    counts.set(nodeId, count + 1);
    return () => {
      const left = (counts.get(nodeId) ?? 1) - 1;
      if (left > 0) counts.set(nodeId, left);
      else counts.delete(nodeId);
    };
  };
}

type Listed = Pick<HttpServiceRow, 'allowedIps' | 'blockedIps'> & Partial<Pick<HttpServiceRow, 'skipAuthRoutes'>>;

/**
 * Refuses services, ports and entries of lists beyond the node's quota. It is asked within the transaction that writes, so
 * calls at the same moment are counted one after the other. What the administrator gave a node counts, but is never refused.
 * @param before the service as it is; null: it is new
 * @throws {Failure} 400
 */
export async function requireWithinQuota(
  tx: Transaction,
  { caller, settings: { nodeLimits } }: Pick<Context, 'caller' | 'settings'>,
  { node, next, before, takesPort }: { node: NodeRow; next: Listed; before: Listed | null; takesPort: boolean },
): Promise<void> {
  if (caller?.type !== 'node') return;
  const http = await tx.httpServices.all({ nodeId: node.id });
  const tcp = await tx.tcpServices.all({ nodeId: node.id });
  if (before === null) {
    refuseFull('service', http.length + tcp.length, nodeLimits.services, 'SALLYPORT_NODE_SERVICES');
    if (takesPort) refuseFull('public port', tcp.length, nodeLimits.publicPorts, 'SALLYPORT_NODE_PORTS');
  }
  const added = entriesOf(next) - (before === null ? 0 : entriesOf(before));
  const entries = [...http, ...tcp].reduce((sum, row: HttpServiceRow | TcpServiceRow) => sum + entriesOf(row), added);
  if (added > 0 && entries > nodeLimits.listEntries) {
    throw failure.rejected(
      `This node's services would have ${entries} entries in their lists, and its access tokens may not add to more than ${nodeLimits.listEntries}. Shorten a list, or ask the administrator to raise SALLYPORT_NODE_LIST_ENTRIES.`,
    );
  }
}

function refuseFull(what: string, count: number, limit: number, setting: string): void {
  if (count < limit) return;
  throw failure.rejected(
    `This node has ${count} ${what}${count === 1 ? '' : 's'}, and its access tokens may not add to more than ${limit}. Ask the administrator to delete some, or to raise ${setting}.`,
  );
}

/** The entries of all lists of a service; one that was damaged by hand has none. */
const entriesOf = ({ allowedIps, blockedIps, skipAuthRoutes }: Listed): number =>
  lengthOf(allowedIps) + lengthOf(blockedIps) + (skipAuthRoutes ?? '').split('\n').filter((line) => line !== '').length;

const lengthOf = (list: string[] | null): number => (Array.isArray(list) ? list.length : 0);

/**
 * The world as the token of a node, or a host that joins, is told of it. Why the gateway as a whole does not work may name
 * its files, its settings, and what other nodes have: that is for the administrator.
 */
export function nodeWorld(world: World): World {
  const told = (said: string | null): string | null => {
    if (said === null) return null;
    // The reasons why a subnet is not reached name interfaces and addresses of the gateway's machine.
    const sentence = said.replace(/( is not reached): .*$/s, '$1. Ask the administrator.');
    const part = world.unavailable().find(({ reason }) => reason !== '' && sentence.includes(reason));
    if (part === undefined) return sentence;
    const own = sentence.replace(part.reason, '').replace(part.fix, '').trim();
    return `${own === '' ? 'The gateway does not serve it at the moment.' : own} Ask the administrator.`;
  };
  const toldHealth = ({ health, healthReason }: Health): Health => ({ health, healthReason: told(healthReason) });
  return {
    ...world,
    unavailable: () =>
      world.unavailable().map(({ feature }) => ({
        feature,
        reason: 'It does not run on this gateway.',
        fix: 'Ask its administrator.',
      })),
    problem: (kind, id) => told(world.problem(kind, id)),
    health: (kind, id) => toldHealth(world.health(kind, id)),
    asked: async (kind, id) => toldHealth(await world.asked(kind, id)),
    nodeConfiguration(node) {
      const configuration = world.nodeConfiguration(node);
      if (!('problem' in configuration)) return configuration;
      return { problem: 'The configuration of this node cannot be made. Ask the administrator.' };
    },
  };
}
