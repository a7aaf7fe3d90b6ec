import type { Identity } from '../context.ts';
import type { Clock } from '../../world.ts';

/** Ends what a token opened when the token dies: at sign-out, and at the end of its life. */
export type SessionEnds = {
  /** @returns the way to take it back */
  register(caller: Identity | null, end: () => void): () => void;
  stop(): void;
};

export function createSessionEnds(
  clock: Clock,
  onSessionEnd: (listener: (tokenHash: string) => void) => () => void,
): SessionEnds {
  const ends = new Map<string, Set<() => void>>();
  const unsubscribe = onSessionEnd((tokenHash) => {
    for (const end of ends.get(tokenHash) ?? []) end();
  });
  return {
    register(caller, end) {
      if (caller === null) return () => undefined;
      const { tokenHash, expiresAt } = caller;
      const own = ends.get(tokenHash) ?? new Set();
      ends.set(tokenHash, own.add(end));
      const giveUp = expiresAt === null ? () => undefined : clock.wake(expiresAt, end);
      return () => {
        giveUp();
        own.delete(end);
        if (own.size === 0) ends.delete(tokenHash);
      };
    },
    stop: unsubscribe,
  };
}
