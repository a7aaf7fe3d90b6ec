import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readlinkSync, renameSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { basename } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ConfigFile } from './ingress.ts';
import { watchOldWorkers } from './oldWorkers.ts';
import { findMaster, findOrphans, listWorkers } from './process.ts';
import { type NginxTrial, openNginxTrial, trialConfig } from '../../testing/nginxTrial.ts';
import { freePorts } from '../../testing/freePorts.ts';
import { watchWorkerDeaths, type WorkerDeath } from './logFiles.ts';

const [PORT = 0, OTHER_PORT = 0] = await freePorts(2);

let trial: NginxTrial;
const open = async (): Promise<void> => {
  trial = await openNginxTrial(PORT);
};
const close = (): Promise<void> => trial.close();

const apply = async (word: string): Promise<number> => {
  const applied = await trial.ingress.apply(trial.serving(word));
  expect(applied).toMatchObject({ ok: true });
  return applied.ok ? applied.generation : 0;
};
const pointed = (): string => basename(readlinkSync(trial.ingress.layout.current));
const workers = () => {
  const master = findMaster(trial.ingress.layout);
  return master === null ? [] : listWorkers(master);
};

describe('a reload that fails', () => {
  beforeAll(open);
  afterAll(close);

  const main = (change: (text: string) => string) => (): ConfigFile[] =>
    trial.serving('bad').map(({ path, text }) => ({ path, text: change(text) }));
  const http = (directives: string) => (): ConfigFile[] => trialConfig(trial.ingress.layout, PORT, 'bad', directives);
  const bad: [string, () => ConfigFile[]][] = [
    ['an unknown directive', () => trial.broken()],
    ['a brace too few', main((text) => text.slice(0, text.lastIndexOf('}')))],
    ['an include that is missing', http('include missing.conf;')],
    [
      'a certificate that is missing',
      http(
        `server { listen 127.0.0.1:${OTHER_PORT} ssl;\nssl_certificate /nowhere/a.pem;\nssl_certificate_key /nowhere/a.pem; }`,
      ),
    ],
    [
      'a certificate that is none',
      http(
        `server { listen 127.0.0.1:${OTHER_PORT} ssl;\nssl_certificate /etc/hostname;\nssl_certificate_key /etc/hostname; }`,
      ),
    ],
    ['a network that is none', http(`server { listen 127.0.0.1:${OTHER_PORT};\ndeny 999.1.1.1; }`)],
    ['an expression that is none', http('map $uri $x { "~(" 1; }')],
    ['a variable that no one sets', http(`server { listen 127.0.0.1:${OTHER_PORT};\nreturn 200 $nobody_sets_it; }`)],
    [
      'two servers by default',
      http(
        `server { listen 127.0.0.1:${OTHER_PORT} default_server; }\nserver { listen 127.0.0.1:${OTHER_PORT} default_server; }`,
      ),
    ],
    ['a log that cannot be opened', http('access_log /nowhere/access.log;')],
    [
      'a temporary directory that cannot be made',
      main((text) => text.replace(/proxy_temp_path \S+;/, 'proxy_temp_path /nowhere/a/b;')),
    ],
    ['a user that is unknown', main((text) => `user nobody-knows-them;\n${text.replace(/user [^;]+;/, '')}`)],
    ['a shared memory whose size changed its use', http('proxy_cache_path /nowhere/cache keys_zone=SSL:1m;')],
  ];

  it.each(bad)('%s: says the same as a test, and leads back', async (_, files) => {
    const first = await apply('one');
    const faults = await trial.ingress.check(files());
    expect(faults).not.toEqual([]);
    const refused = await trial.ingress.apply(files());
    // The test was made in another directory.
    const moved = JSON.stringify(faults).replaceAll('/generations/checked/', '/current/');
    expect(refused).toEqual({ ok: false, faults: JSON.parse(moved) as unknown });
    expect(pointed()).toBe(String(first));
    expect(await trial.visit()).toBe(`one ${first}`);
    const second = await apply('two');
    expect(await trial.visit()).toBe(`two ${second}`);
  });

  it('is asked why when its error log takes no word', async () => {
    const mute = (files: ConfigFile[]): ConfigFile[] =>
      files.map(({ path, text }) => ({ path, text: text.replace(trial.ingress.layout.errorLog, '/dev/full') }));
    const first = await trial.ingress.apply(mute(trial.serving('one')));
    expect(first).toMatchObject({ ok: true });
    const refused = await trial.ingress.apply(mute(trial.broken()));
    expect(refused).toMatchObject({ ok: false, faults: [{ file: 'broken.conf', line: 3 }] });
    expect(await trial.visit()).toBe(`one ${first.ok ? first.generation : 0}`);
  });

  it('of which the log was deleted still says why', async () => {
    await apply('one');
    rmSync(trial.ingress.layout.logs, { recursive: true });
    expect(await trial.ingress.apply(trial.broken())).toMatchObject({
      ok: false,
      faults: [{ file: 'broken.conf', line: 3 }],
    });
  });

  it('on a full disk names the disk, harms no one, and succeeds when there is room', async ({ skip }) => {
    const first = await apply('one');
    const { generations } = trial.ingress.layout;
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=700', 'tmpfs', generations]);
    skip(mounted.status !== 0, 'this account may not mount a small disk');
    try {
      const large = { path: 'large.conf', text: `# ${'x'.repeat(128 * 1024)}\n` };
      expect(await trial.ingress.apply([...trial.serving('two'), large])).toMatchObject({
        ok: false,
        faults: [{ message: 'The disk of the data directory is full', environment: true }],
      });
      expect(readdirSync(generations)).toEqual([]);
      expect(await trial.visit()).toBe(`one ${first}`);
      const second = await apply('two');
      expect(await trial.visit()).toBe(`two ${second}`);
    } finally {
      spawnSync('umount', [generations]);
    }
  });
});

describe('a process that is killed', () => {
  beforeEach(open);
  afterEach(close);

  it('a worker comes back by itself, and that is told', async () => {
    const first = await apply('one');
    const before = workers().map(({ pid }) => pid);
    const deaths: WorkerDeath[] = [];
    const stop = watchWorkerDeaths(trial.ingress.layout.errorLog, (death) => void deaths.push(death));
    for (const pid of before) process.kill(pid, 'SIGKILL');
    await expect.poll(() => workers().filter(({ pid }) => !before.includes(pid)).length).toBe(before.length);
    await expect.poll(() => trial.visit()).toBe(`one ${first}`);
    const second = await apply('two');
    expect(await trial.visit()).toBe(`two ${second}`);
    const told = before.map((worker) => ({ worker, signal: 9 }));
    await expect.poll(() => deaths.toSorted((a, b) => a.worker - b.worker)).toEqual(told);
    stop();
  });
});

describe('an old worker', () => {
  beforeEach(open);
  afterEach(close);

  it.each([
    ['ends with its connection when it needs more than there is room for', { leastMs: 0, times: 0 }, 'closed'],
    ['stays while there is room', { leastMs: 0, times: 4 }, 'open'],
    ['stays while it is young', { leastMs: 60_000, times: 0 }, 'open'],
  ])('%s', async (_, bounds, expected) => {
    await apply('one');
    const visitor = connect(PORT, '127.0.0.1');
    await once(visitor, 'connect');
    visitor.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n');
    await trial.visit();
    await apply('two');
    const old = watchOldWorkers(trial.ingress.layout, bounds);
    old.look();
    if (expected === 'open') visitor.write('\r\n');
    const answer = await readAll(visitor).catch(() => '');
    expect(answer === '' ? 'closed' : 'open').toBe(expected);
    old.stop();
  });

  it('that may not end yet leaves no room for another generation, until its connection ends', async () => {
    await apply('one');
    const visitor = connect(PORT, '127.0.0.1');
    await once(visitor, 'connect');
    visitor.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n');
    await trial.visit();
    await apply('two');
    const old = watchOldWorkers(trial.ingress.layout, { leastMs: 60_000, times: 0 });
    expect(old.hasRoom()).toBe(true);
    old.look();
    expect(old.hasRoom()).toBe(false);
    visitor.end('\r\n');
    await expect.poll(old.hasRoom).toBe(true);
    old.stop();
  });
});

describe('the logs', () => {
  beforeEach(open);
  afterEach(close);

  const orphans = () => findOrphans(trial.ingress.layout);
  const held = (file: string): boolean =>
    [trial.masterPid(), ...[...workers(), ...orphans()].map(({ pid }) => pid)].some((pid) =>
      readdirSync(`/proc/${pid}/fd`).some((name) => {
        const { ino } = statSync(`/proc/${pid}/fd/${name}`, { throwIfNoEntry: false }) ?? {};
        return ino === statSync(file).ino;
      }),
    );

  it.each(['closing workers', 'the workers of a killed master'])('are opened again by all, %s too', async (whose) => {
    await apply('one');
    // Half a request keeps its worker from leaving.
    const visitor = connect(PORT, '127.0.0.1');
    await once(visitor, 'connect');
    visitor.write('GET / HTTP/1.1\r\nHost: a\r\n');
    await trial.visit();
    if (whose !== 'closing workers') {
      const died = new Promise<void>((resolve) => trial.ingress.onDeath(resolve));
      await trial.crash();
      await died;
    }
    await apply('two');
    expect([...workers(), ...orphans()].some(({ closing }) => closing)).toBe(true);
    const { accessLog } = trial.ingress.layout;
    renameSync(accessLog, `${accessLog}.1`);
    expect(held(`${accessLog}.1`)).toBe(true);
    await trial.ingress.reopenLogs();
    expect(held(`${accessLog}.1`)).toBe(false);
    const size = statSync(`${accessLog}.1`).size;
    visitor.end('\r\n');
    await once(visitor.resume(), 'close');
    await expect.poll(() => statSync(accessLog).size).toBeGreaterThan(0);
    expect(statSync(`${accessLog}.1`).size).toBe(size);
  });

  it('are left alone while nothing runs', async () => {
    await trial.ingress.reopenLogs();
    expect(existsSync(trial.ingress.layout.accessLog)).toBe(false);
  });
});
