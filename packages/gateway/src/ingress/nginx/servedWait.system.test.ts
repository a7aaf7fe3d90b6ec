import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { type IngressLayout, ingressLayout } from './ingress.ts';
import { markLog } from './logFiles.ts';
import { findMaster, listChildren } from './process.ts';
import { waitUntilServed } from './servedWait.ts';

/**
 * A process with the titles of nginx. As a master it starts its successor at SIGUSR2, which says its number, reads for
 * longer than an nginx is left alone that does nothing, and then has a pid file.
 */
const BUSY_MS = 2000;
const SCRIPT = `
  const { spawn } = require('node:child_process');
  const { ROLE, TITLE, SCRIPT, PID_FILE } = process.env;
  const child = (ROLE) => spawn(process.execPath, ['-e', SCRIPT], { stdio: ['pipe', 'inherit', 'inherit'], env: { ...process.env, ROLE } });
  process.stdin.on('end', () => process.exit()).resume();
  if (ROLE === 'successor') {
    // It takes its time to start on a busy machine, and the successor would have nothing to do meanwhile.
    child('worker');
    process.stdout.write(process.pid + '\\n');
    for (const end = Date.now() + ${BUSY_MS}; Date.now() < end; );
  }
  if (ROLE === 'worker') process.title = 'nginx: worker process';
  else {
    process.title = TITLE;
    require('node:fs').writeFileSync(PID_FILE, String(process.pid));
  }
  if (ROLE === 'master') {
    process.on('SIGUSR2', () => child('successor'));
    process.on('SIGQUIT', () => undefined);
    process.stdout.write(process.pid + '\\n');
  }`;

async function startMaster(layout: IngressLayout) {
  const env = {
    SCRIPT,
    ROLE: 'master',
    PID_FILE: layout.pidFile,
    TITLE: `nginx: master process nginx -p ${layout.directory} -c nginx.conf`,
  };
  const child = spawn(process.execPath, ['-e', SCRIPT], { stdio: ['pipe', 'pipe', 'inherit'], env });
  const numbers = createInterface(child.stdout)[Symbol.asyncIterator]();
  const nextNumber = async (): Promise<number> => Number((await numbers.next()).value);
  await nextNumber();
  const master = findMaster(layout);
  if (master === null) throw new Error('the master does not look like one');
  return {
    master,
    startSuccessor: () => {
      child.kill('SIGUSR2');
      return nextNumber();
    },
    stop: async () => {
      // Its children end when their input does.
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}

// With thousands of services nginx reads its configuration for longer than that, and to ask it meanwhile reads it twice.
it('does not ask what is wrong while nginx is at work', async ({ onTestFinished }) => {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-served-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const where = { ingress: directory, secrets: directory, workerUser: null };
  const layout = ingressLayout(where, {
    hasStream: false,
    streamModule: null,
    headersModule: null,
    hasHalfClose: false,
  });
  mkdirSync(layout.run);
  const answers = createServer((_request, response) => response.end('2 1\n'));
  answers.listen(layout.statusSocket);
  await once(answers, 'listening');
  onTestFinished(() => void answers.close());
  const { master, startSuccessor, stop } = await startMaster(layout);
  onTestFinished(stop);

  const former = { master, children: new Set(listChildren(master)) };
  const successor = await startSuccessor();
  const asked: number[] = [];
  const outcome = await waitUntilServed({
    layout,
    former,
    generation: 2,
    statusSocket: layout.statusSocket,
    workers: 1,
    log: markLog(layout.errorLog),
    ask: () => {
      asked.push(performance.now());
      return Promise.resolve([]);
    },
  });
  expect(outcome).toMatchObject({ kind: 'served', master: { pid: successor } });
  expect(asked).toEqual([]);
});
