import type { Database } from 'better-sqlite3';
import { type RawLine, skipMark } from './accessLine.ts';
import { packLines } from './schema.ts';

/** How far one of nginx's files has been read; see the table `files` in `schema.ts`. */
export type ReadFile = {
  /** A later file has a higher one. */
  serial: number;
  inode: number;
  position: number;
  seen: number;
  /** The last bytes in front of the position, in base64: an inode may be used again for another file. */
  before: string;
};

/** How far nginx's files have been read. The lines in front of `seen` that are later than `heldFrom` are not stored yet. */
export type Progress = { files: readonly ReadFile[]; heldFrom: number };

/** The `heldFrom` with which all lines that were read are stored. */
export const NOTHING_HELD = Number.MAX_SAFE_INTEGER;

/** Lines that were left out: how many, and the time of the last. */
export type Skipped = { lines: number; time: number };

/** Another process stores the lines now. */
export class OwnerChanged extends Error {
  override readonly name = 'OwnerChanged';
}

type Log = { id: number; lines: number; bytes: number; skipped: number };

const LARGEST_BLOCK_BYTES = 64 * 1024;
const FEWEST_BLOCKS = 8;
/** What a block takes next to its lines. */
const BLOCK_BYTES = 64;
const SPARE_PAGES = 4096;
const SHRINK_PAGES = 256;

/**
 * Stores lines, together with how far nginx's files were read.
 * @param mostBytes of lines that are stored for each log
 */
export function createLineWriter(database: Database, mostBytes: number) {
  const blockBytes = Math.min(LARGEST_BLOCK_BYTES, Math.floor(mostBytes / FEWEST_BLOCKS));
  const find = database.prepare<[string], Log>('select id, lines, bytes, skipped from logs where name = ?');
  const begin = database.prepare('insert into logs (name, lines, bytes, skipped) values (?, 0, 0, 0)');
  const change = database.prepare('update logs set lines = ?, bytes = ?, skipped = ? where id = ?');
  const add = database.prepare(
    'insert into blocks (log, last, lines, from_time, to_time, content) values (?, ?, ?, ?, ?, ?)',
  );
  const dropOldest = database.prepare<[number, number], { bytes: number }>(`
    delete from blocks where id = (select id from blocks where log = ? and last < ? order by last limit 1)
    returning length(content) as bytes`);
  const dropAll = database.prepare('delete from blocks where log = ?');
  const dropLog = database.prepare('delete from logs where name = ?');
  const owner = database.prepare<[], { owner: number }>('select owner from reading');
  // As the next owner, so that a process that is left over from before stores nothing any more.
  const own = database
    .prepare<[], { owner: number }>('update reading set owner = owner + 1 returning owner')
    .get()?.owner;

  const atomic = <T>(work: () => T): T =>
    database
      .transaction(() => {
        if (owner.get()?.owner !== own) throw new OwnerChanged('another process stores log lines now');
        return work();
      })
      .immediate();

  const logOf = (name: string): Log =>
    find.get(name) ?? { id: Number(begin.run(name).lastInsertRowid), lines: 0, bytes: 0, skipped: 0 };

  /** Adds lines to a log and drops its oldest; a log has a block at any time, however long its lines are. */
  const append = (name: string, lines: readonly RawLine[], skipped: Skipped | undefined): number => {
    const log = logOf(name);
    const before = log.bytes;
    const all = skipped === undefined ? lines : [...lines, markOf(skipped)];
    let added = 0;
    for (let from = 0, to = 0; from < all.length; from = to) {
      let bytes = 0;
      while (to < all.length && (to === from || bytes + (all[to]?.text.length ?? 0) < blockBytes)) {
        bytes += (all[to]?.text.length ?? 0) + 1;
        to += 1;
      }
      const block = all.slice(from, to);
      const content = packLines(block);
      log.lines += block.length;
      add.run(log.id, log.lines, block.length, block[0]?.time ?? 0, block.at(-1)?.time ?? 0, content);
      added += content.length + BLOCK_BYTES;
    }
    log.bytes = before + added;
    while (log.bytes > mostBytes) {
      const dropped = dropOldest.get(log.id, log.lines);
      if (dropped === undefined) break;
      log.bytes -= dropped.bytes + BLOCK_BYTES;
    }
    change.run(log.lines, log.bytes, log.skipped + (skipped?.lines ?? 0), log.id);
    return added;
  };

  const clearFiles = database.prepare('delete from files');
  const addFile = database.prepare('insert into files values (@serial, @inode, @position, @seen, @before)');
  const setHeld = database.prepare('update reading set held_from = ?');
  const saveProgress = ({ files, heldFrom }: Progress): void => {
    clearFiles.run();
    for (const file of files) addFile.run(file);
    setHeld.run(heldFrom);
  };
  const forget = (name: string): void => {
    const log = find.get(name);
    if (log === undefined) return;
    dropAll.run(log.id);
    dropLog.run(name);
  };

  return {
    /** How far they were read when the lines were last stored. */
    progress(): Progress {
      const files = database.prepare<[], ReadFile>('select * from files order by serial').all();
      const reading = database.prepare<[], { heldFrom: number }>('select held_from as heldFrom from reading').get();
      return { files, heldFrom: reading?.heldFrom ?? NOTHING_HELD };
    },
    /**
     * Stores lines, of each log in this order, and then a mark of what was skipped, in one transaction.
     * @param isDurable whether it returns only when the disk has it all
     * @returns how many bytes were added to which log
     */
    store(
      lines: readonly RawLine[],
      skipped: ReadonlyMap<string, Skipped>,
      progress: Progress,
      isDurable: boolean,
    ): Map<string, number> {
      // With this the journal is forced to the disk, with all that was stored before.
      if (isDurable) database.pragma('synchronous = FULL');
      try {
        return atomic(() => {
          const added = new Map<string, number>();
          const byLog = linesByLog(lines);
          for (const name of new Set([...byLog.keys(), ...skipped.keys()])) {
            added.set(name, append(name, byLog.get(name) ?? [], skipped.get(name)));
          }
          saveProgress(progress);
          return added;
        });
      } finally {
        if (isDurable) database.pragma('synchronous = NORMAL');
      }
    },
    /** Removes what is stored of a log. */
    forget: (name: string): void => atomic(() => forget(name)),
    /** Removes all logs but these. */
    forgetOthers: (names: ReadonlySet<string>): void =>
      atomic(() => {
        const all = database.prepare<[], { name: string }>('select name from logs').all();
        for (const { name } of all) if (!names.has(name)) forget(name);
      }),
    /** Gives some of the space back that is not used any more, when there is much of it. */
    shrink(): void {
      const spare = Number(database.pragma('freelist_count', { simple: true }));
      if (spare > SPARE_PAGES) database.pragma(`incremental_vacuum(${SHRINK_PAGES})`);
    },
  };
}

export type LineWriter = ReturnType<typeof createLineWriter>;

const markOf = ({ lines, time }: Skipped): RawLine => ({ text: skipMark(lines, time), time, names: [] });

function linesByLog(lines: readonly RawLine[]): Map<string, RawLine[]> {
  const byLog = new Map<string, RawLine[]>();
  for (const line of lines) {
    for (const name of line.names) {
      const own = byLog.get(name);
      if (own === undefined) byLog.set(name, [line]);
      else own.push(line);
    }
  }
  return byLog;
}
