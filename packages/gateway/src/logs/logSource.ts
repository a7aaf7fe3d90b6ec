import type { LineKey, World } from '../world.ts';

/** The lines of services and domains: their history, and those that come. */
export type LogSource = World['lines'] & {
  /** Removes what is kept of a service or domain that is gone. */
  forget(key: LineKey): void;
  /** Returns when everything that was read is on disk. */
  close(): Promise<void>;
};
