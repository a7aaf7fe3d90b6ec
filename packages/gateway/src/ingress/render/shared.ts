import type { ConfigText } from './configText.ts';
import { createAddressTrees, type AddressTrees } from './access.ts';
import { createSpellings, type Spellings } from './spellings.ts';
import { sharesOf } from './shares.ts';
import { createUpstreams, type Upstreams } from './upstream.ts';

/** What the servers of HTTP services need and cannot hold themselves. */
export type Shared = { upstreams: Upstreams; trees: AddressTrees; spellings: Spellings };

export const createShared = (): Shared => ({
  upstreams: createUpstreams(),
  trees: createAddressTrees(),
  spellings: createSpellings(),
});

/** Writes all that was asked for while the servers were planned. */
export function writeShared(out: ConfigText, { upstreams, trees, spellings }: Shared, connections: number): void {
  trees.write(out);
  spellings.write(out);
  const { httpBackend, idleOfNode } = sharesOf(connections);
  upstreams.write(out, { requests: httpBackend, idle: idleOfNode });
}
