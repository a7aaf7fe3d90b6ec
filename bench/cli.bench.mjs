import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atLeast, atMost, atMostTimes } from './support/figures.mjs';

const MAIN = join(import.meta.dirname, '..', 'packages', 'cli', 'dist', 'main.js');
const RUNS = 20;
/** How many times the start of bare Node the command may take for what needs no gateway. */
const START_MARK = 2.2;
/** From the start of the process to what Ink paints first; longer feels as if nothing happened. */
const FIRST_FRAME_MARK_MS = 300;
const COMMANDS = ['node list --json', 'service list', 'status --json'];
const NOT_CONNECTED = 3;
/** And for a command that asks the gateway something, on a connection of its own. */
const COMMAND_MARK = 4;
const LINES = 500_000;
const BATCH_LINES = 200;
const LINES_PER_SECOND_MARK = 100_000;

/** How fast the command starts, next to Node with nothing to do, and how fast it passes a log on. */
async function cli() {
  const bare = [];
  /** @type {Record<string, number[]>} */
  const started = { '--version': [], '--help': [] };
  for (let run = 0; run < RUNS; run += 1) {
    bare.push(millisecondsOf(['-e', '0']));
    for (const [flag, times] of Object.entries(started)) times.push(millisecondsOf([MAIN, flag]));
  }
  const against = bestOf(bare);
  return [
    ...Object.entries(started).map(([flag, times]) =>
      atMostTimes(START_MARK, { name: `sallyport ${flag}`, unit: 'ms', value: bestOf(times), against }),
    ),
    ...(await commandFigures()),
    ...(await firstFrameFigures()),
    await logsFigure(),
  ];
}

/** How long commands take that ask a gateway with nothing in it, next to Node with nothing to do. */
async function commandFigures() {
  const page = JSON.stringify({ data: [], page: 1, limit: 0, total: 0, status: 'ok' });
  return withGateway(
    (_request, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(page),
    async (env) => {
      const bare = [];
      /** @type {number[][]} */
      const times = COMMANDS.map(() => []);
      for (let run = 0; run < RUNS; run += 1) {
        bare.push(await millisecondsUntilEnd(['-e', '0'], env));
        for (const [index, command] of COMMANDS.entries()) {
          times[index]?.push(await millisecondsUntilEnd([MAIN, ...command.split(' ')], env));
        }
      }
      const against = bestOf(bare);
      return COMMANDS.map((command, index) =>
        atMostTimes(COMMAND_MARK, { name: `sallyport ${command}`, unit: 'ms', value: bestOf(times[index]), against }),
      );
    },
  );
}

/** The gateway is in this process, so that it must not stand still meanwhile. */
async function millisecondsUntilEnd(argv, env) {
  const begin = performance.now();
  const child = spawn(process.execPath, argv, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  child.stdout.resume();
  const [code] = await once(child, 'close');
  // This host is connected to no gateway, which `status` says with a code of its own.
  if (code !== 0 && !(code === NOT_CONNECTED && argv.includes('status')))
    throw new Error(`node ${argv.join(' ')} ended with ${code}`);
  return performance.now() - begin;
}

/** How soon the screens that move are there, on a pseudo-terminal. */
async function firstFrameFigures() {
  const page = JSON.stringify({ data: [], page: 1, limit: 0, total: 0 });
  return withGateway(
    (_request, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(page),
    async (env) => {
      const figures = [];
      for (const command of ['top', 'node list --watch']) {
        const times = [];
        for (let run = 0; run < RUNS; run += 1) times.push(await millisecondsToFrame(command, env));
        const name = `sallyport ${command}, first frame`;
        figures.push(atMost(FIRST_FRAME_MARK_MS, { name, unit: 'ms', value: bestOf(times) }));
      }
      return figures;
    },
  );
}

async function millisecondsToFrame(command, env) {
  const line = `stty cols 100 rows 30; exec "$BENCH_NODE" "$BENCH_MAIN" ${command}`;
  const begin = performance.now();
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', line, '/dev/null'], {
    env: { ...env, SHELL: '/bin/sh', TERM: 'xterm-256color', BENCH_NODE: process.execPath, BENCH_MAIN: MAIN, CI: '' },
  });
  const ended = once(child, 'close');
  let out = '';
  try {
    for await (const chunk of child.stdout) {
      out += chunk;
      if (out.includes('q quits')) return performance.now() - begin;
    }
    throw new Error(`sallyport ${command} ended without a frame: ${out}`);
  } finally {
    child.kill();
    await ended;
  }
}

function millisecondsOf(argv) {
  const begin = performance.now();
  const { status } = spawnSync(process.execPath, argv, { stdio: 'pipe' });
  if (status !== 0) throw new Error(`node ${argv.join(' ')} ended with ${status}`);
  return performance.now() - begin;
}

/** The best time is what the command costs; whatever is above it is what else the machine did. */
const bestOf = (times) => Math.round(Math.min(...times) * 10) / 10;

/** Lines a second that `sallyport logs` writes to a pipe, of a stream that always has more. */
async function logsFigure() {
  return withGateway(
    (_request, response) => void saturate(response),
    async (env) => {
      const child = spawn(process.execPath, [MAIN, 'logs', '--domain', 'app.example.test', '--follow'], { env });
      try {
        const value = await linesPerSecond(child.stdout);
        return atLeast(LINES_PER_SECOND_MARK, { name: 'sallyport logs, piped', unit: 'lines/s', value });
      } finally {
        child.kill();
      }
    },
  );
}

/** Does `work` with the environment of an administrator who is signed in to a gateway that answers as `listener` does. */
async function withGateway(listener, work) {
  const server = createServer(listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
  try {
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`;
    const session = { url, username: 'admin', token: 'none', expiresAt: null, pin: null };
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ version: 1, profiles: { default: session } }));
    return await work({ ...process.env, SALLYPORT_CONFIG_DIR: folder });
  } finally {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  }
}

async function saturate(response) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const line = '2026-11-21T12:00:00.123Z INFO 198.51.100.7 "GET / HTTP/1.1" 200 512 3ms 127.0.0.1:8080';
  const event = `data: ${JSON.stringify(Array(BATCH_LINES).fill(line))}\n\n`;
  while (!response.destroyed) {
    if (!response.write(event)) await new Promise((resolve) => response.once('drain', resolve));
  }
}

async function linesPerSecond(stdout) {
  let lines = 0;
  let begin = 0;
  for await (const chunk of stdout) {
    begin ||= performance.now();
    for (const byte of chunk) if (byte === 10) lines += 1;
    if (lines >= LINES) break;
  }
  return Math.round((lines / (performance.now() - begin)) * 1000);
}

export default { cli };
