import type { AnyCommand } from './context.ts';

/** One command: where it stands in the tree, and the file that is loaded when it is used. */
export type Entry = { path: readonly [string, ...string[]]; summary: string; load: () => Promise<AnyCommand> };
