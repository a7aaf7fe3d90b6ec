import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPiped } from './testing/process.ts';
import { type Served, listen } from './testing/serve.ts';

const BATCHES = 4000;
const BATCH_LINES = 200;
const MEMORY_MAX_KB = 200_000;

const lineOf = (number: number) =>
  `2026-11-21T12:00:00.123Z INFO 198.51.100.7 "GET /${String(number).padStart(8, '0')} HTTP/1.1" 200 512 3ms 127.0.0.1:8080`;

let directory: string;
let server: Served;
let env: Record<string, string>;
/** Called each time the server must wait, because no one takes what it sends. */
let stalled = (): void => undefined;

/** Sends as fast as it is taken, then keeps the connection. */
async function saturate(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const lines = Array.from({ length: BATCH_LINES }, (_, at) => lineOf(batch * BATCH_LINES + at));
    if (response.write(`id: ${batch}\ndata: ${JSON.stringify(lines)}\n\n`)) continue;
    stalled();
    await new Promise<void>((resolve) => void response.once('drain', () => resolve()));
  }
}

beforeAll(async () => {
  server = await listen((_request, response) => void saturate(response));
  directory = mkdtempSync(join(tmpdir(), 'sallyport-cli-'));
  const session = { url: server.url, username: 'admin', token: 'sps_x', expiresAt: null, pin: null };
  writeFileSync(join(directory, 'config.json'), JSON.stringify({ version: 1, profiles: { default: session } }));
  env = { SALLYPORT_CONFIG_DIR: directory };
});
afterAll(async () => {
  await server.close();
  rmSync(directory, { recursive: true });
});

describe('logs, piped, from a saturated stream', () => {
  it('loses no line and keeps its memory, however slow the reader is', async () => {
    const run = startPiped(['logs', '--domain', 'app.example.test', '--follow'], env);
    // The reader stops until the whole way is full, back to the server.
    run.child.stdout.pause();
    await quiet((again) => (stalled = again));
    const peakWhileFull = peakMemory(run.child.pid);
    const last = `GET /${String(BATCHES * BATCH_LINES - 1).padStart(8, '0')} `;
    const arrived = new Promise<void>((resolve) => {
      run.child.stdout.on('data', (text: string) => {
        if (text.includes(last)) resolve();
      });
    });
    run.child.stdout.resume();
    await arrived;
    const peak = peakMemory(run.child.pid);
    run.child.kill('SIGINT');
    const { out } = await run.ended;
    // The first batch is the history, of which the last 100 lines are shown.
    const numbers = [...out.matchAll(/GET \/(\d+) /g)].map(([, digits]) => Number(digits));
    expect(numbers).toHaveLength(BATCHES * BATCH_LINES - 100);
    expect(numbers.every((number, at) => number === at + 100)).toBe(true);
    expect(Math.max(peak, peakWhileFull)).toBeLessThan(MEMORY_MAX_KB);
  });
});

/** Fulfilled when the signal came at least once and then not for a while. */
function quiet(onSignal: (again: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    onSignal(() => {
      clearTimeout(timer);
      timer = setTimeout(resolve, 500);
    });
  });
}

/** The most memory that a process ever had, in kilobytes. */
const peakMemory = (pid: number | undefined) =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
