import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { openKnownFiles } from './logFile.ts';
import { createLineWriter, NOTHING_HELD, type ReadFile } from './lineWriter.ts';
import { createLineParser, type RawLine } from './accessLine.ts';

const KINDS = ['http', 'tcp', 'domain'] as const;
const CHECKPOINT = 'checkpoint.json';
const NO_LINES_SKIPPED = new Map<string, never>();

/**
 * Takes in what gateways up to version 0.1 kept: numbered files of lines for each log, and between the lines
 * `#SERIAL-END,…`, which says that everything above it was written, and up to where in which of nginx's files that reached.
 */
export function importHistory(
  database: Database,
  { directory, path, historyBytes }: { directory: string; path: string; historyBytes: number },
  known: ReadonlySet<string>,
): void {
  const checkpoint = join(directory, CHECKPOINT);
  if (!existsSync(checkpoint) && KINDS.every((kind) => !existsSync(join(directory, kind)))) return;
  const writer = createLineWriter(database, historyBytes);
  const parser = createLineParser(() => true);
  /** Of each log, up to where nginx's files are in it, by their numbers. */
  const ends = new Map<string, Map<number, number>>();
  for (const name of known) {
    for (const segment of segmentsOf(join(directory, name))) {
      const kept = keptOf(readFileSync(segment, 'latin1'));
      if (kept === null) continue;
      ends.set(name, kept.ends);
      const lines: RawLine[] = [];
      parser.parse(kept.lines, (line) => lines.push({ ...line, names: [name] }));
      writer.store(lines, NO_LINES_SKIPPED, { files: [], heldFrom: NOTHING_HELD }, false);
    }
  }

  // The checkpoint may be a second older than what was kept. What is missing in one log may be there in another.
  const missing: RawLine[] = [];
  const files = openKnownFiles(path, checkpointOf(checkpoint));
  const read = files.map((file): ReadFile => {
    const endIn = (name: string): number => ends.get(name)?.get(file.serial) ?? 0;
    const end = Math.max(file.at, ...[...ends.keys()].map(endIn));
    let position = file.at;
    for (let piece = file.at < end ? file.read() : null; piece !== null; piece = position < end ? file.read() : null) {
      const { text, at } = piece;
      const whole = text.slice(0, end - at);
      parser.parse(whole, (line, from) => {
        const names = line.names.filter((name) => known.has(name) && at + from >= endIn(name));
        if (names.length > 0) missing.push({ ...line, names });
      });
      position = at + whole.length;
    }
    const before = file.before(position);
    file.close();
    return { serial: file.serial, inode: file.inode, position, seen: position, before };
  });
  writer.store(missing, NO_LINES_SKIPPED, { files: read, heldFrom: NOTHING_HELD }, false);
}

/** Removes it, once it is taken in. */
export function removeHistory(directory: string): void {
  for (const name of [CHECKPOINT, ...KINDS]) rmSync(join(directory, name), { recursive: true, force: true });
}

function segmentsOf(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => /^[1-9]\d{0,14}\.log$/.test(name))
    .toSorted((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
    .map((name) => join(directory, name));
}

/** What stands in front of the last note in a file, and what that says; null when there is none. */
function keptOf(text: string): { lines: string; ends: Map<number, number> } | null {
  const notes = [...text.matchAll(/^#([0-9a-z]{1,10}-[0-9a-z]{1,10}(?:,[0-9a-z]{1,10}-[0-9a-z]{1,10})*)\n/gm)];
  const last = notes.at(-1);
  if (last?.[1] === undefined) return null;
  const ends = last[1].split(',').map((pair) => pair.split('-').map((digits) => Number.parseInt(digits, 36)));
  const lines = text.slice(0, last.index).replaceAll(/^#.*\n/gm, '');
  return { lines, ends: new Map(ends as [number, number][]) };
}

function checkpointOf(path: string): ReadFile[] {
  try {
    const saved = JSON.parse(readFileSync(path, 'utf8')) as {
      serial: number;
      inode: number;
      offset: number;
      before: string;
    }[];
    return saved.map(({ serial, inode, offset, before }) => ({
      serial,
      inode,
      position: offset,
      seen: offset,
      before,
    }));
  } catch {
    // Without it, nginx's log is read from its beginning.
    return [];
  }
}
