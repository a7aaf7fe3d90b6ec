import type { NodeStatus } from '@sallyport/sdk/contract';
import type { NodeTrafficRow } from '../store/rows.ts';
import type { PeerReading } from './wireguard/tunnel.ts';

/** What is known of one node; times that a clock cannot jump in are those of `performance.now()`. */
export type NodeTrack = {
  traffic: NodeTrafficRow;
  /** When something last arrived; null: nothing, as far as this gateway knows. */
  receivedAt: number | null;
  /** When the last handshake was; null: never. */
  handshakeAgeFrom: number | null;
  /** This gateway has read it itself. */
  isLive: boolean;
};

/** A moment on both clocks, in milliseconds. */
export type Moment = { wall: number; steady: number };

/** A session that had no handshake for this long is dead (WireGuard's REJECT_AFTER_TIME). */
const SESSION_MS = 180_000;
/** A node is missed only after this long, however often it would call. */
const MISSED_MS = 30_000;

/** A node that nothing was read of yet. */
export function newTrack(nodeId: number, publicKey: string, stored: NodeTrafficRow | undefined): NodeTrack {
  const none = { totalRx: 0, totalTx: 0, counterRx: 0, counterTx: 0, endpoint: null, handshakeAt: null };
  const traffic =
    stored === undefined
      ? { nodeId, publicKey, ...none }
      : stored.publicKey === publicKey
        ? stored
        : { ...stored, publicKey, counterRx: 0, counterTx: 0 };
  return { traffic, receivedAt: null, handshakeAgeFrom: null, isLive: false };
}

/** What is known after WireGuard was asked. */
export function observed(track: NodeTrack, reading: PeerReading, now: Moment): NodeTrack {
  const { traffic } = track;
  const isMoved = reading.rx !== traffic.counterRx;
  const hasNewHandshake = reading.handshakeAt !== null && reading.handshakeAt !== traffic.handshakeAt;
  const handshakeAgeFrom = ageFrom(track, reading, now, hasNewHandshake);
  return {
    traffic: {
      ...traffic,
      totalRx: traffic.totalRx + grown(traffic.counterRx, reading.rx),
      totalTx: traffic.totalTx + grown(traffic.counterTx, reading.tx),
      counterRx: reading.rx,
      counterTx: reading.tx,
      endpoint: reading.endpoint ?? traffic.endpoint,
      handshakeAt: reading.handshakeAt ?? traffic.handshakeAt,
    },
    receivedAt: lastReceived(track, reading, now, isMoved, handshakeAgeFrom),
    handshakeAgeFrom,
    isLive: true,
  };
}

/** @param keepalive seconds */
export function statusOf(track: NodeTrack, keepalive: number, steady: number): NodeStatus {
  const { receivedAt, handshakeAgeFrom } = track;
  const isYoung = handshakeAgeFrom !== null && steady - handshakeAgeFrom < SESSION_MS;
  // Without keep-alives silence means nothing: such a node answers when it is called.
  if (keepalive === 0 && handshakeAgeFrom !== null) return isYoung ? 'online' : 'idle';
  const missedMs = Math.max(2 * keepalive * 1000, MISSED_MS);
  if (receivedAt !== null && steady - receivedAt < missedMs) return 'online';
  return isYoung ? 'idle' : 'offline';
}

/** A counter that is lower than before began again. */
const grown = (before: number, now: number): number => (now >= before ? now - before : now);

function ageFrom(track: NodeTrack, reading: PeerReading, now: Moment, hasNewHandshake: boolean): number | null {
  if (reading.handshakeAt === null) return null;
  // From now on only the steady clock counts, whatever is done to the other one.
  if (track.isLive) return hasNewHandshake ? now.steady : track.handshakeAgeFrom;
  return now.steady - Math.max(0, now.wall - reading.handshakeAt);
}

function lastReceived(
  track: NodeTrack,
  reading: PeerReading,
  now: Moment,
  isMoved: boolean,
  handshakeAgeFrom: number | null,
): number | null {
  if (track.isLive) return isMoved && reading.rx > 0 ? now.steady : track.receivedAt;
  // A gateway that was restarted takes a session that is alive for one that was heard just now.
  const isAlive = handshakeAgeFrom !== null && now.steady - handshakeAgeFrom < SESSION_MS;
  return isAlive && reading.rx > 0 ? now.steady : null;
}
