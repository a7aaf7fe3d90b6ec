import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type IngressLayout, ingressLayout } from './ingress.ts';
import type { Fault } from './faults.ts';
import { markLog } from './logFiles.ts';
import { findMaster, isClosing, listWorkers, type NginxWorker, type ProcessId } from './process.ts';
import { waitUntilServed } from './servedWait.ts';

/**
 * A process with the titles of nginx, which has its own workers late only where processors are missing. A line on its
 * input has it start a child; each says its number when it is there. SIGUSR2 makes a worker of a child, SIGQUIT a
 * closing one; after SIGHUP it says its number, and is busy for longer than an nginx is left alone that does nothing.
 */
const BUSY_MS = 2000;
const SCRIPT = `
  const { spawn } = require('node:child_process');
  process.title = process.env.TITLE;
  process.on('SIGUSR2', () => { process.title = 'nginx: worker process'; });
  process.on('SIGQUIT', () => { process.title = 'nginx: worker process is shutting down'; });
  process.on('SIGHUP', () => {
    process.stdout.write(process.pid + '\\n');
    for (const end = Date.now() + ${BUSY_MS}; Date.now() < end; );
  });
  const child = () => spawn(process.execPath, ['-e', process.env.SCRIPT], { stdio: ['pipe', 'inherit', 'inherit'] });
  process.stdin.on('data', child);
  process.stdin.on('end', () => process.exit());
  process.stdout.write(process.pid + '\\n');`;

let directory: string;
let layout: IngressLayout;
let master: ProcessId;
let startWorker: () => Promise<number>;
let makeBusy: () => Promise<number>;
let stop: (() => Promise<void>) | undefined;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'sallyport-served-'));
  const where = { ingress: directory, secrets: directory, workerUser: null };
  layout = ingressLayout(where, { hasStream: false, streamModule: null, hasHalfClose: false });
  mkdirSync(layout.run);
  const env = { SCRIPT, TITLE: `nginx: master process nginx -p ${directory} -c nginx.conf` };
  const child = spawn(process.execPath, ['-e', SCRIPT], { stdio: ['pipe', 'pipe', 'inherit'], env });
  const numbers = createInterface(child.stdout)[Symbol.asyncIterator]();
  const nextNumber = async (): Promise<number> => Number((await numbers.next()).value);
  writeFileSync(layout.pidFile, String(await nextNumber()));
  const found = findMaster(layout);
  if (found === null) throw new Error('the master does not look like one');
  master = found;
  startWorker = async () => {
    child.stdin.write('\n');
    return nextNumber();
  };
  makeBusy = () => {
    process.kill(child.pid ?? 0, 'SIGHUP');
    return nextNumber();
  };
  const answers = createServer((_request, response) => response.end('2 1\n'));
  answers.listen(layout.statusSocket);
  await once(answers, 'listening');
  stop = async () => {
    child.stdin.end();
    await once(child, 'exit');
    answers.close();
  };
});
afterAll(async () => {
  await stop?.();
  rmSync(directory, { recursive: true, force: true });
});

const waitFor = (before: readonly NginxWorker[], ask?: () => Promise<Fault[]>) => {
  const { statusSocket } = layout;
  return waitUntilServed({
    layout,
    master,
    generation: 2,
    statusSocket,
    before,
    workers: 1,
    log: markLog(layout.errorLog),
    ...(ask !== undefined && { ask }),
  });
};

it('a worker of the generation before that comes late is no new one, and takes no connections when it is served', async () => {
  const late = await startWorker();
  const before = listWorkers(master);
  const waiting = waitFor(before);
  process.kill(late, 'SIGUSR2');
  const fresh = await startWorker();
  process.kill(fresh, 'SIGUSR2');
  expect((await waiting).kind).toBe('served');
  const open = listWorkers(master).filter((worker) => !isClosing(worker));
  expect(open.map(({ pid }) => pid)).toEqual([fresh]);
});

// With thousands of services nginx reads its configuration for longer than that, and to ask it meanwhile reads it twice.
it('does not ask what is wrong while nginx is at work', async () => {
  const before = listWorkers(master);
  await makeBusy();
  const asked: number[] = [];
  const waiting = waitFor(before, () => {
    asked.push(performance.now());
    return Promise.resolve([]);
  });
  // It comes to its input once it is done.
  process.kill(await startWorker(), 'SIGUSR2');
  expect((await waiting).kind).toBe('served');
  expect(asked).toEqual([]);
});
