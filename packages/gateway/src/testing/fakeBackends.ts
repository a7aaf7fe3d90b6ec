import type { BackendProbe } from '../health/backendProbe.ts';

/** Backends that a test decides on: each answers unless it is silenced. */
export type FakeBackends = {
  probe: BackendProbe;
  /** Why the backend at `ADDRESS:PORT` does not answer from now on, in a sentence; null: it does. */
  set(peer: string, reason: string | null): void;
  /** Lets the questions to `ADDRESS:PORT` go without any answer until they are given up. */
  hang(peer: string): void;
  /** Everything that was asked, as `PROTO ADDRESS:PORT`. */
  asked: readonly string[];
};

export function createFakeBackends(): FakeBackends {
  const asked: string[] = [];
  const reasons = new Map<string, string | null>();
  const hanging = new Set<string>();
  return {
    asked,
    set(peer, reason) {
      hanging.delete(peer);
      reasons.set(peer, reason);
    },
    hang: (peer) => hanging.add(peer),
    async probe({ proto, addresses, port }, signal) {
      const peers = addresses.map((address) => `${address}:${port}`);
      asked.push(...peers.map((peer) => `${proto} ${peer}`));
      if (peers.every((peer) => hanging.has(peer))) {
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('given up'))));
      }
      const answers = peers.map((peer) => reasons.get(peer) ?? null);
      return answers.includes(null) ? null : (answers[0] ?? null);
    },
  };
}
