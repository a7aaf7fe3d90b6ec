import type { ConfigText } from './configText.ts';
import { createAddressTrees, type AddressTrees } from './nginxAccess.ts';
import { createUpstreams, type Upstreams } from './nginxUpstream.ts';

/** What the servers of HTTP services need and cannot hold themselves. */
export type Shared = { upstreams: Upstreams; trees: AddressTrees };

export const createShared = (): Shared => ({ upstreams: createUpstreams(), trees: createAddressTrees() });

/** Writes all that was asked for while the servers were planned. */
export function writeShared(out: ConfigText, { upstreams, trees }: Shared): void {
  trees.write(out);
  upstreams.write(out);
}
