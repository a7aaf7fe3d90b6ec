import { fork } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextRound } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createAccessLogTrial,
  DOMAIN,
  entries,
  KEY,
  killIngest,
  numbers,
  paths,
  pathsIn,
  rawLine as entry,
  readLog,
} from '../testing/logTrial.ts';
import { createLineWriter, type LineWriter, OwnerChanged } from './lineWriter.ts';
import { openToWrite } from './schema.ts';

const LATER = { timeout: 20_000 };
const OTHER = { kind: 'http', id: 6 } as const;
const MB = 1_000_000;

let trial: ReturnType<typeof createAccessLogTrial>;
let base: string;
let file: string;
let directory: string;
let open: typeof trial.open;
beforeEach(() => {
  trial = createAccessLogTrial();
  ({ base, file, directory, open } = trial);
});
afterEach(() => trial.close());

describe('the lines of a log', () => {
  it('are in order of time, whichever worker of nginx wrote first', async () => {
    const at = (t: string, path: string): string => entry(path, { t });
    writeFileSync(file, at('1795331411.300', '/3') + at('1795331411.500', '/5') + at('1795331411.100', '/1'));
    appendFileSync(file, at('1795331411.200', '/2') + at('1795331411.400', '/4') + at('1795331411.400', '/4b'));
    expect(await paths(await open())).toEqual(['/1', '/2', '/3', '/4', '/4b', '/5']);
  });

  it('tell when the last of each came', async () => {
    const at = (t: string, path: string): string => entry(path, { t });
    writeFileSync(file, at('1795331411.300', '/3') + at('1795331411.500', '/5') + at('1795331411.100', '/1'));
    const log = await open();
    expect(await paths(log)).toHaveLength(3);
    expect(log.lastTimes([OTHER, KEY])).toEqual([null, 1_795_331_411_500]);
    await log.close();
    expect(log.lastTimes([KEY])).toEqual([null]);
  });

  it('wait for older ones that another worker has not written yet, also when the process is killed meanwhile', async () => {
    const now = Date.now();
    // The clock of the process stands still: what is of this moment waits for as long as the test takes.
    const standing = `data:text/javascript,${encodeURIComponent(`Date.now = () => ${now}`)}`;
    vi.stubEnv('NODE_OPTIONS', `${process.env['NODE_OPTIONS'] ?? ''} --import=${standing}`);
    const log = await open();
    vi.unstubAllEnvs();
    const at = (ms: number): string => ((now + ms) / 1000).toFixed(3);
    writeFileSync(file, entry('/old') + entry('/late', { t: at(-100) }));
    await expect.poll(() => paths(log), LATER).toEqual(['/old']);
    appendFileSync(file, entry('/early', { t: at(-200) }) + entry('/old2'));
    await expect.poll(() => paths(log), LATER).toEqual(['/old', '/old2']);
    await trial.kill(log);
    const again = await open();
    await expect.poll(() => paths(again), LATER).toEqual(['/old', '/old2', '/early', '/late']);
  });

  it('never take more than their bound, most of it is used, and the oldest are dropped', async () => {
    // Nothing of it can be made smaller.
    const noise = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(60))).toString('hex');
    const log = await open({ historyBytes: MB, rotateBytes: MB });
    for (let round = 0; round < 10; round += 1) {
      const lines = numbers(round * 1000, round * 1000 + 1000).map((path) => entry(`${path}?${noise()}${noise()}`));
      appendFileSync(file, lines.join(''));
      await log.caughtUp();
    }
    const shown = (await paths(log)).map((path) => Number.parseInt(path.slice(1), 10));
    const [first = 0] = shown;
    expect(first).toBeGreaterThan(0);
    expect(shown).toEqual(Array.from({ length: 10_000 - first }, (_, index) => first + index));
    await log.close();
    // A service and its domain, each within its bound.
    const size = statSync(join(directory, 'lines.db')).size;
    expect([size > 1.2 * MB, size < 2.6 * MB]).toEqual([true, true]);
  });

  it('come in events that a client takes, however small they are stored', async () => {
    const log = await open();
    const reader = await readLog(log, KEY, { count: 0 });
    await expect.poll(() => reader.batches.length, LATER).toBe(1);
    const long = 'x'.repeat(2000);
    const lines = numbers(0, 1500).map((path) => entry(`${path}?${long}`));
    appendFileSync(file, lines.join(''));
    await expect.poll(() => reader.texts().length, LATER).toBe(1500);
    const first = await readLog(log, KEY, { count: 1500 });
    await expect.poll(() => first.batches.length, LATER).toBeGreaterThan(0);
    const sizes = [...reader.batches, ...first.batches].map((texts) => texts.join('\n').length);
    expect(Math.max(...sizes)).toBeLessThan(1_200_000);
  });

  it('are read in turn: many who begin to read at once do not hold others up', async () => {
    writeFileSync(file, entries(0, 10_000));
    const log = await open();
    const readers = await Promise.all(
      Array.from({ length: 30 }, () => log.open(KEY, { count: 10_000, afterId: null })),
    );
    const counts: number[] = [];
    const stops = readers.map((reader) =>
      reader.read({ push: (lines) => counts.push(lines.length), room: () => null, end: () => undefined }),
    );
    let rounds = 0;
    for (; counts.length < readers.length; rounds += 1) await nextRound();
    for (const stop of stops) stop();
    expect(counts).toEqual(readers.map(() => 10_000));
    // Each round of the event loop hears what has come from others.
    expect(rounds).toBeGreaterThanOrEqual(readers.length);
  });

  it('have ids that tell nothing of other logs, and a line that was dropped is not gone on behind', async () => {
    writeFileSync(file, entries(0, 5));
    const log = await open({ historyBytes: 100_000 });
    const reader = await readLog(log, KEY, { count: 0 });
    await expect.poll(() => reader.batches.length).toBe(1);
    const before = reader.lastId();
    reader.stop();
    appendFileSync(
      file,
      numbers(0, 500)
        .map((path) => entry(path, { s: '6', d: '3' }))
        .join(''),
    );
    await log.caughtUp();
    const same = await readLog(log, KEY, { count: 0 });
    await expect.poll(() => same.batches.length).toBe(1);
    expect(same.lastId()).toBe(before);
    expect((await paths(log, OTHER)).length).toBe(500);
    const noise = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(500))).toString('hex');
    appendFileSync(
      file,
      numbers(5, 505)
        .map((path) => entry(`${path}?${noise()}`))
        .join(''),
    );
    await log.caughtUp();
    expect((await readLog(log, KEY, { afterId: before })).resumed).toBe(false);
    expect((await readLog(log, KEY, { afterId: '0' })).resumed).toBe(false);
  });

  it('are skipped when more waits than is allowed, which is counted and said in their own log alone', async () => {
    const log = await open({ mostWaitingBytes: 20_000, rotateBytes: 10_000_000 });
    writeFileSync(
      file,
      entries(0, 1) +
        numbers(0, 30_000)
          .map((path) => entry(path, { s: '6', d: '' }))
          .join('') +
        entries(1, 2),
    );
    /** How many lines of a log are told of: as skipped, and themselves. */
    const told = (texts: readonly string[]): { skipped: number; shown: number } => {
      const marks = texts.map((text) => / WARN - "(\d+) lines were skipped: [^"]*" - - - -$/.exec(text)?.[1]);
      const skipped = marks.reduce((sum, mark) => sum + Number(mark ?? 0), 0);
      return { skipped, shown: marks.filter((mark) => mark === undefined).length };
    };
    const [own, other] = [await readLog(log, KEY), await readLog(log, OTHER)];
    const all = (): number => told(other.texts()).skipped + told(other.texts()).shown;
    await expect.poll(all, LATER).toBe(30_000);
    expect(told(other.texts()).skipped).toBeGreaterThan(0);
    await expect.poll(() => told(own.texts()), LATER).toEqual({ skipped: 0, shown: 2 });
  });
});

describe('the process that stores the lines', () => {
  it('is started again when it is killed at any moment, and no line is lost or doubled', async () => {
    const log = await open({ rotateBytes: 20_000 });
    const reader = await readLog(log, KEY);
    let end = 0;
    for (let kill = 0; kill < 4; kill += 1) {
      const old = killIngest(log);
      for (let round = 0; round < 5; round += 1) {
        appendFileSync(file, entries(end, end + 100));
        end += 100;
      }
      await expect.poll(() => log.pid() !== null && log.pid() !== old, LATER).toBe(true);
      // In the middle of what it has to do by now, on the second turn.
      if (kill % 2 === 0) await log.caughtUp();
    }
    await expect.poll(() => reader.texts().length, LATER).toBe(end);
    expect(pathsIn(reader.texts())).toEqual(numbers(0, end));
    expect(await paths(log, DOMAIN)).toEqual(numbers(0, end));
  });

  it('ends by itself when the gateway is killed, and the next gateway goes on', async () => {
    writeFileSync(file, entries(0, 100));
    const gateway = fork(new URL('../testing/logTrial.ts', import.meta.url), [base], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const [pid] = (await once(gateway, 'message')) as [number];
    gateway.kill('SIGKILL');
    appendFileSync(file, entries(100, 200));
    const log = await open();
    expect(await paths(log)).toEqual(numbers(0, 200));
    await expect.poll(() => existsSync(`/proc/${pid}`), LATER).toBe(false);
    appendFileSync(file, entries(200, 300));
    await log.caughtUp();
    expect(await paths(log)).toEqual(numbers(0, 300));
  });

  it('stores nothing any more once another one has begun', () => {
    const database = openToWrite(join(base, 'owned.db'), () => undefined);
    const [former, next] = [createLineWriter(database, MB), createLineWriter(database, MB)];
    const store = (writer: LineWriter, heldFrom: number): unknown =>
      writer.store([], new Map(), { files: [], heldFrom }, false);
    store(next, 2);
    expect(() => store(former, 1)).toThrow(OwnerChanged);
    expect(next.progress().heldFrom).toBe(2);
    database.close();
  });

  it.each([
    ['is no database', (path: string) => writeFileSync(path, 'x'.repeat(10_000))],
    ['lost its end', (path: string) => truncateSync(path, 8192)],
    ['lost its tables', (path: string) => writeFileSync(path, '')],
  ])('puts a database aside that %s, says so, and stores new lines', async (_, damage) => {
    writeFileSync(
      file,
      numbers(0, 500)
        .map((path) => entry(`${path}?${crypto.randomUUID()}`))
        .join(''),
    );
    await (await open()).close();
    const database = join(directory, 'lines.db');
    damage(database);
    const isEmpty = statSync(database).size === 0;
    const log = await open();
    appendFileSync(file, entry('/new'));
    await expect.poll(async () => (await paths(log)).at(-1), LATER).toBe('/new');
    expect(existsSync(`${database}.damaged`)).toBe(!isEmpty);
    expect(log.problem() === null).toBe(isEmpty);
    expect(log.problem() ?? database).toContain(database);
  });

  it('keeps what it cannot store in the files that it moved away, and stores it later', async () => {
    const log = await open({ rotateBytes: 10_000 });
    appendFileSync(file, entries(0, 50));
    await log.caughtUp();
    const aside = join(base, 'aside');
    await trial.kill(log);
    renameSync(directory, aside);
    writeFileSync(directory, '');
    const again = await open({ rotateBytes: 10_000 });
    appendFileSync(file, entries(50, 300));
    await again.caughtUp();
    expect(trial.notices).toContain('log lines cannot be stored; nginx keeps them while it has room');
    rmSync(directory);
    renameSync(aside, directory);
    await expect.poll(() => paths(again), LATER).toEqual(numbers(0, 300));
    expect(trial.notices).toContain('log lines are stored again');
    await expect.poll(() => readdirSync(base).filter((name) => name.includes('reading')), LATER).toEqual([]);
  });
});

describe('the files of version 0.1', () => {
  /** What 0.1 wrote when it had stored everything up to there: each line with its end in nginx's file 7. */
  const note = (end: number): string => `#${(7).toString(36)}-${end.toString(36)}\n`;
  const put = (name: string, segment: number, text: string): void => {
    mkdirSync(join(directory, name), { recursive: true });
    writeFileSync(join(directory, name, `${segment}.log`), text);
  };

  it('are taken in at the first start, with what was stored of nginx’s log by then, and removed', async () => {
    const size = (lines: string): number => Buffer.byteLength(lines);
    writeFileSync(file, entries(0, 40));
    const { ino } = statSync(file);
    // Killed: the checkpoint is behind, the domain has less than the service, and the last line of it is half.
    put('http/5', 1, entries(0, 10) + note(size(entries(0, 10))));
    put('http/5', 2, entries(10, 30) + note(size(entries(0, 30))));
    put('domain/2', 1, entries(0, 20) + note(size(entries(0, 20))) + entries(20, 22).slice(0, -9));
    put('http/999', 1, entries(0, 3) + note(3));
    const offset = size(entries(0, 5));
    const before = Buffer.from(entries(0, 5)).subarray(-64).toString('base64');
    writeFileSync(join(directory, 'checkpoint.json'), JSON.stringify([{ serial: 7, inode: ino, offset, before }]));
    const log = await open();
    expect(await paths(log)).toEqual(numbers(0, 40));
    expect(await paths(log, DOMAIN)).toEqual(numbers(0, 40));
    expect(readdirSync(directory).filter((name) => !name.startsWith('lines.db'))).toEqual([]);
    await log.close();
    expect(await paths(await open())).toEqual(numbers(0, 40));
  });
});
