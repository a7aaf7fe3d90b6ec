import {
  appendFileSync,
  existsSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createAccessLogTrial,
  createKnownKeys,
  DOMAIN,
  entries,
  KEY,
  numbers,
  paths,
  pathsIn,
  rawLine as entry,
  readLog,
  SOON,
} from '../testing/logTrial.ts';
import type { LineKey } from '../world.ts';

let trial: ReturnType<typeof createAccessLogTrial>;
let base: string;
let file: string;
let directory: string;
let open: typeof trial.open;
let kill: typeof trial.kill;
beforeEach(() => {
  trial = createAccessLogTrial();
  ({ base, file, directory, open, kill } = trial);
});
afterEach(() => trial.close());

describe('openAccessLog', () => {
  it('has the lines that were written before, of services and of domains, oldest first', async () => {
    writeFileSync(
      file,
      entry('/a') + entry('/b') + entry('/tcp', { k: 'tcp', r: 'TCP /tcp' }) + entry('/c', { d: '' }),
    );
    const log = await open();
    expect(await paths(log)).toEqual(['/a', '/b', '/c']);
    expect(await paths(log, { kind: 'tcp', id: 5 })).toEqual(['TCP']);
    expect((await paths(log, DOMAIN)).length).toBe(3);
    expect(await paths(log, { kind: 'domain', id: 3 })).toEqual([]);
  });

  it('begins with as many lines as are wanted, or none, and goes on with each new one', async () => {
    writeFileSync(file, entries(0, 10));
    const log = await open();
    const [three, none] = [await readLog(log, KEY, { count: 3 }), await readLog(log, KEY, { count: 0 })];
    await expect.poll(() => three.batches.length + none.batches.length, SOON).toBe(2);
    expect([pathsIn(three.texts()), none.texts()]).toEqual([numbers(7, 10), []]);
    expect(none.lastId()).toBe(three.lastId());
    appendFileSync(file, entries(10, 12));
    await expect.poll(() => pathsIn(three.texts()), SOON).toEqual(numbers(7, 12));
    await expect.poll(() => pathsIn(none.texts()), SOON).toEqual(numbers(10, 12));
    three.stop();
    appendFileSync(file, entry('/12'));
    await expect.poll(() => pathsIn(none.texts()), SOON).toEqual(numbers(10, 13));
    expect(pathsIn(three.texts())).toEqual(numbers(7, 12));
  });

  it('tells what else nginx wrote of a line to a reader who asks for it, now and later', async () => {
    writeFileSync(file, entry('/a', { h: 'app.example.test', a: 'curl/8' }));
    const log = await open();
    const reader = await readLog(log, KEY, { withDetails: true });
    await expect.poll(() => reader.texts().length, SOON).toBe(1);
    appendFileSync(file, entry('/b', { h: 'www.example.test' }));
    await expect.poll(() => reader.texts().length, SOON).toBe(2);
    const details = reader.texts().map((line) => JSON.parse(line.split('\n')[1] ?? '') as unknown);
    const service = { type: 'http', id: KEY.id };
    expect(details).toEqual([
      { host: 'app.example.test', agent: 'curl/8', service },
      { host: 'www.example.test', service },
    ]);
  });

  it('goes on after a line, also after a restart; and starts again after one that it does not know', async () => {
    writeFileSync(file, entries(0, 300));
    const first = await open();
    const reader = await readLog(first, KEY, { count: 1 });
    await expect.poll(() => reader.batches.length, SOON).toBe(1);
    await first.close();
    appendFileSync(file, entries(300, 500));
    const log = await open();
    const again = await readLog(log, KEY, { count: 10, afterId: reader.lastId() });
    expect(again.resumed).toBe(true);
    await expect.poll(() => pathsIn(again.texts()), SOON).toEqual(numbers(300, 500));
    for (const afterId of ['unknown', 'zzzz-1', '', '../x', `${reader.lastId()}0`]) {
      const restarted = await readLog(log, KEY, { count: 10, afterId });
      expect(restarted.resumed).toBe(false);
      await expect.poll(() => pathsIn(restarted.texts()), SOON).toEqual(numbers(490, 500));
    }
  });

  it('can go on behind the beginning of a log that was empty', async () => {
    const log = await open();
    const reader = await readLog(log, KEY);
    await expect.poll(() => reader.batches, SOON).toEqual([[]]);
    const afterId = reader.lastId();
    writeFileSync(file, entry('/a'));
    await log.caughtUp();
    const again = await readLog(log, KEY, { count: 0, afterId });
    expect(again.resumed).toBe(true);
    await expect.poll(() => pathsIn(again.texts()), SOON).toEqual(['/a']);
  });

  it('waits for the end of a line that is written in pieces, within a character too', async () => {
    const log = await open();
    const reader = await readLog(log, KEY);
    const bytes = Buffer.from(entry('/grüße'));
    const middle = bytes.indexOf(0xc3) + 1;
    writeFileSync(file, Buffer.concat([Buffer.from(entry('/a')), bytes.subarray(0, middle)]));
    await expect.poll(() => pathsIn(reader.texts()), SOON).toEqual(['/a']);
    appendFileSync(file, bytes.subarray(middle));
    await expect.poll(() => pathsIn(reader.texts()), SOON).toEqual(['/a', '/grüße']);
    await log.close();
    expect(await paths(await open())).toEqual(['/a', '/grüße']);
  });

  it('skips what it cannot read, and shows the beginning of a line that is too long', async () => {
    const invalid = Buffer.concat([
      Buffer.from('{"s":"5","k":"http","r":"'),
      Buffer.from([0xff, 0xc3]),
      Buffer.from('"}\n'),
    ]);
    writeFileSync(file, `broken\n{"t":\n\n${entry(`/${'y'.repeat(100_000)}`)}${entry('/\u001b[31m\u202e')}`);
    appendFileSync(file, invalid);
    const log = await open();
    const reader = await readLog(log, KEY);
    await expect.poll(() => reader.texts().length, SOON).toBe(3);
    const [long, hostile, other] = reader.texts();
    expect(long).toMatch(/^2026-\S+ INFO 203.0.113.7 "GET \/y+/);
    expect(long?.length).toBeLessThanOrEqual(64 * 1024);
    expect(hostile).toContain('GET /\\x1b[31m\\u{202e} HTTP/1.1');
    expect(other).toContain('"\ufffd\ufffd"');
  });

  it('leaves out lines of what does not exist, and removes what is stored of what is gone', async () => {
    const OTHER: LineKey = { kind: 'http', id: 6 };
    writeFileSync(file, entry('/a') + entry('/x', { s: '6', d: '3' }));
    const known = createKnownKeys([KEY, DOMAIN]);
    const log = await open({ known });
    expect(await paths(log)).toEqual(['/a']);
    known.set(OTHER, true);
    expect(await paths(log, OTHER)).toEqual([]);
    appendFileSync(file, entry('/y', { s: '6', d: '3' }));
    await log.caughtUp();
    expect(await paths(log, OTHER)).toEqual(['/y']);
    known.set(KEY, false);
    appendFileSync(file, entry('/late'));
    await log.caughtUp();
    known.set(KEY, true);
    expect([await paths(log), await paths(log, DOMAIN)]).toEqual([[], ['/a', '/late']]);
    await log.close();
    // What was removed while no gateway ran.
    known.set(DOMAIN, false);
    await (await open({ known })).close();
    known.set(DOMAIN, true);
    const again = await open({ known });
    expect([await paths(again, DOMAIN), await paths(again, OTHER)]).toEqual([[], ['/y']]);
  });

  it('stores lines where no other account can enter', async () => {
    writeFileSync(file, entry('/a'));
    const log = await open();
    expect(await paths(log)).toEqual(['/a']);
    const modes = [directory, ...readdirSync(directory).map((name) => join(directory, name))].map(
      (path) => statSync(path).mode & 0o777,
    );
    expect([modes[0], new Set(modes.slice(1))]).toEqual([0o700, new Set([0o600])]);
  });
});

describe('the file', () => {
  it('may be cut', async () => {
    writeFileSync(file, entries(0, 2));
    const log = await open();
    truncateSync(file, 0);
    appendFileSync(file, entry('/2'));
    await log.caughtUp();
    expect(await paths(log)).toEqual(numbers(0, 3));
    await log.close();
    truncateSync(file, 0);
    // As long as it was, so that only its content tells that it is another one.
    appendFileSync(file, entry('/3') + entry('/4'));
    expect(await paths(await open())).toEqual(numbers(0, 5));
  });

  it('may be cut and have grown beyond what it was before anybody looks', async () => {
    writeFileSync(file, entries(0, 2));
    const log = await open();
    truncateSync(file, 0);
    appendFileSync(file, entries(2, 9));
    await log.caughtUp();
    expect(await paths(log)).toEqual(numbers(0, 9));
  });

  it('may be moved away and be written to under both names until its writer lets go of it', async () => {
    const released = Promise.withResolvers<void>();
    writeFileSync(file, entry('/0'));
    const log = await open({ reopenLogs: () => released.promise });
    renameSync(file, `${file}.1`);
    writeFileSync(file, entry('/1'));
    await log.caughtUp();
    appendFileSync(`${file}.1`, entry('/2'));
    appendFileSync(file, entry('/3'));
    await log.caughtUp();
    appendFileSync(`${file}.1`, entry('/4'));
    released.resolve();
    await log.caughtUp();
    expect((await paths(log)).toSorted()).toEqual(numbers(0, 5));
    expect(existsSync(`${file}.1`)).toBe(true);
  });

  it('is opened again by its writer when it was deleted, and nothing of it is lost', async () => {
    writeFileSync(file, entry('/0'));
    const log = await open();
    renameSync(file, `${file}.gone`);
    appendFileSync(`${file}.gone`, entry('/1'));
    rmSync(`${file}.gone`);
    await expect.poll(() => existsSync(file), SOON).toBe(true);
    expect(trial.reopened()).toBe(1);
    appendFileSync(file, entry('/2'));
    await log.caughtUp();
    expect(await paths(log)).toEqual(numbers(0, 3));
  });

  it('is moved away and removed when it is large, and each line is there once', async () => {
    const log = await open({ rotateBytes: 20_000 });
    for (let round = 0; round < 10; round += 1) {
      appendFileSync(file, entries(round * 100, round * 100 + 100));
      await log.caughtUp();
    }
    expect(await paths(log)).toEqual(numbers(0, 1000));
    expect(trial.reopened()).toBeGreaterThan(3);
    await expect.poll(() => readdirSync(base).toSorted(), SOON).toEqual(['access.log', 'kept']);
    expect(statSync(file).size).toBeLessThan(60_000);
  });

  it('is read to its end after a restart, under whatever name it has then', async () => {
    writeFileSync(file, entries(0, 10));
    await (await open()).close();
    appendFileSync(file, entries(10, 20));
    renameSync(file, `${file}.1`);
    writeFileSync(file, entries(20, 30));
    expect(await paths(await open())).toEqual(numbers(0, 30));
  });
});

describe('a gateway that is stopped', () => {
  it('goes on where it was, also when that was in the middle of many lines', async () => {
    const log = await open();
    const reader = await readLog(log, KEY);
    await expect.poll(() => reader.batches.length, SOON).toBe(1);
    // It holds the log up after each piece.
    reader.hold();
    writeFileSync(file, entries(0, 3000, 'x'.repeat(200)));
    await expect.poll(() => reader.texts().length, SOON).toBeGreaterThan(0);
    await log.close();
    expect((await paths(await open())).length).toBe(3000);
  });
});

describe('a gateway that was killed', () => {
  it('reads again what it had not kept, and nothing twice', async () => {
    writeFileSync(file, entries(0, 100));
    await (await open()).close();
    const log = await open();
    appendFileSync(file, entries(100, 200));
    await log.caughtUp();
    // A reader makes one log of the two be written; the other one waits for its time.
    expect(await paths(log)).toEqual(numbers(0, 200));
    await kill(log);
    appendFileSync(file, entries(200, 300));
    const again = await open();
    expect(await paths(again)).toEqual(numbers(0, 300));
    expect(await paths(again, DOMAIN)).toEqual(numbers(0, 300));
  });

  it('doubles nothing when that was while it moved the log away', async () => {
    const released = Promise.withResolvers<void>();
    const reopenLogs = () => released.promise;
    writeFileSync(file, entries(0, 100));
    const log = await open({ rotateBytes: 1000, reopenLogs });
    await log.caughtUp();
    const moved = readdirSync(base).find((name) => name.includes('reading')) ?? '';
    writeFileSync(file, entries(100, 200));
    appendFileSync(join(base, moved), entries(200, 300));
    await log.caughtUp();
    expect((await paths(log)).length).toBe(300);
    await kill(log);
    released.resolve();
    const again = await open({ reopenLogs });
    expect((await paths(again)).toSorted()).toEqual(numbers(0, 300).toSorted());
    expect((await paths(again, DOMAIN)).toSorted()).toEqual(numbers(0, 300).toSorted());
    await expect.poll(() => existsSync(join(base, moved)), SOON).toBe(false);
  });
});
