import type { OpenConnections, ConnectionTarget } from '../ingress/nginx/openConnections.ts';

/** Connections of a test: nothing is ended, but what was asked for is remembered. */
export type FakeConnections = OpenConnections & {
  /** The targets of each call, the oldest call first. */
  cuts: readonly ConnectionTarget[][];
  /** Makes the machine one that ends no connections, or again one that does. */
  refuse(refused: boolean): void;
};

export function createFakeConnections(): FakeConnections {
  const cuts: ConnectionTarget[][] = [];
  let refused = false;
  let recorded: string | null = null;
  return {
    cuts,
    refuse: (value) => {
      refused = value;
    },
    closing: () => new Set([`worker ${cuts.length}`]),
    cut: (targets) => {
      cuts.push([...targets]);
      return Promise.resolve(refused ? null : targets.length);
    },
    record: (text) => {
      recorded = text;
    },
    recorded: () => recorded,
  };
}
