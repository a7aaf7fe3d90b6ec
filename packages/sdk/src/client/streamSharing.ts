import type { Outgoing, Transport } from './transport.ts';

/** Streams that are opened within so many milliseconds begin together. */
const TOGETHER_MS = 10;

/**
 * Has the streams of a client share one connection: a browser keeps no more than six to a host that speaks HTTP/1.1, in all
 * of its windows. When a stream joins, the others go on after their last events over a new connection.
 */
export type StreamSharing = {
  /** Lets go of the connection until `resume`, as for a window that is hidden. No stream counts as broken. */
  pause(): void;
  /** Goes on: each stream after the last event that it read. */
  resume(): void;
  /**
   * For the client itself: the answer to a stream's request. The stream leaves by aborting; aborted with `MOVED`, it has to
   * open again. `onConnect` is called when its connection is opened, which a pause puts off.
   */
  open(transport: Transport, outgoing: Outgoing, abort: AbortController, onConnect: () => void): Promise<Response>;
};

/** Why a stream loses its connection without any fault: it is to open another at once. */
export const MOVED = new Error('The stream goes on over another connection');

/** A stream that wants a connection. */
export type Member = {
  outgoing: Outgoing;
  abort: AbortController;
  onConnect: () => void;
  answer: { promise: Promise<Response>; resolve(response: Response): void; reject(reason: unknown): void };
};

/** Shares the connection of one client, see `sharing` of `createClient`. */
export function createStreamSharing(): StreamSharing {
  const waiting = new Set<Member>();
  const connected = new Set<Member>();
  let paused = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function connectSoon(transport: Transport): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      if (paused) return;
      const members = [...waiting];
      waiting.clear();
      for (const member of members) {
        connected.add(member);
        member.onConnect();
      }
      const [first] = members;
      if (members.length > 1) void together(transport, members);
      else if (first !== undefined) alone(transport, first);
    }, TOGETHER_MS);
  }
  const moveAll = (): void => {
    for (const { abort } of connected) abort.abort(MOVED);
  };

  let resumed = (): void => undefined;
  return {
    pause() {
      paused = true;
      moveAll();
    },
    resume() {
      paused = false;
      resumed();
    },
    open(transport, outgoing, abort, onConnect) {
      const member: Member = { outgoing, abort, onConnect, answer: Promise.withResolvers() };
      const leave = (): void => {
        waiting.delete(member);
        connected.delete(member);
        member.answer.reject(abort.signal.reason);
      };
      abort.signal.addEventListener('abort', leave, { once: true });
      if (abort.signal.aborted) leave();
      else waiting.add(member);
      moveAll();
      resumed = () => {
        if (waiting.size > 0) connectSoon(transport);
      };
      if (!paused) resumed();
      return member.answer.promise;
    },
  };
}

/** One stream has its own connection, as if nothing were shared. */
function alone(transport: Transport, { outgoing, abort, answer }: Member): void {
  transport.send(outgoing, abort.signal).then(answer.resolve, answer.reject);
}

/** A page that calls alone, such as the one that signs in, does without what carries several. */
async function together(transport: Transport, members: readonly Member[]): Promise<void> {
  try {
    const { share } = await import('./sharedConnection.ts');
    await share(transport, members);
  } catch (error) {
    for (const { answer } of members) answer.reject(error);
  }
}
