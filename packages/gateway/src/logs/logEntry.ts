import type { LineKey } from '../world.ts';
import type { KeptPart, LogSegments } from './logSegments.ts';

/** Told of lines that are new, and of the id of the last. */
export type LineListener = (texts: string[], lastId: string) => void;

/** The log of one service or domain. */
export type LogEntry = {
  key: LineKey;
  segments: LogSegments;
  /** Whole lines that could not be written to disk yet. */
  pending: KeptPart[];
  listeners: Set<LineListener>;
};
