import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { within } from './within.mjs';

/** Debian keeps it where only root looks. */
const PATH = `${process.env['PATH']}:/usr/sbin:/usr/local/sbin`;
const POLL_MS = 5;
const LIMIT_MS = 10_000;

/**
 * Starts an nginx of the benchmark's own. It is to have a private endpoint at `run/status.sock`.
 * @param {(directory: string) => Record<string, string>} write is given its directory, with `logs`, `run` and `tmp` in
 *   it; returns the texts of its files by their paths. The main one is `nginx.conf`; it stays in the foreground.
 * @param {import('../../e2e/support/namespaces.ts').Namespace} [namespace] the network in which it runs
 */
export async function startNginx(write, namespace) {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
  // Its workers have an account of their own.
  chmodSync(directory, 0o711);
  for (const name of ['logs', 'run', 'tmp']) mkdirSync(join(directory, name));
  const put = (files) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(directory, path, '..'), { recursive: true });
      writeFileSync(join(directory, path), text);
    }
  };
  put(write(directory));
  const args = ['-p', directory, '-c', join(directory, 'nginx.conf')];
  const env = { PATH };
  // It ends with the benchmark, though a session of its own keeps the Ctrl+C of the terminal from it.
  const command = ['--pdeathsig', 'TERM', 'nginx', '-e', join(directory, 'logs', 'error.log'), ...args];
  const [program, ...words] = within(namespace, 'setpriv', ...command);
  const child = spawn(program, words, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env,
    // As a daemon, and as the gateway's. Linux shares processors among sessions (`sched_autogroup_enabled`): in the
    // session of the load generator an nginx answers up to twice as much, on a machine that is busy.
    detached: true,
  });
  const ended = once(child, 'exit');
  const answerAt = (path) => textOf(join(directory, 'run', 'status.sock'), path);
  const nginx = {
    directory,
    /** Where the main file is to have the number of its master written. */
    pidFile: join(directory, 'run', 'nginx.pid'),
    put,
    /** What its private endpoint answers at `path`; null when it does not. */
    answerAt,
    /** `nginx -t` */
    test() {
      const { status, stderr } = spawnSync('nginx', ['-t', '-q', ...args], { encoding: 'utf8', env });
      if (status !== 0) throw new Error(`nginx -t: ${stderr}`);
    },
    reload: () => child.kill('SIGHUP'),
    /** Resolves when its private endpoint, as the gateway renders it, answers with this number. */
    async serves(generation) {
      const deadline = performance.now() + LIMIT_MS;
      while (Number((await answerAt('/generation'))?.split(' ')[0]) !== generation) {
        if (performance.now() > deadline) throw new Error(`nginx does not serve generation ${generation}`);
        await delay(POLL_MS);
      }
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
  return nginx;
}

function textOf(socketPath, path) {
  return new Promise((resolve) => {
    get({ socketPath, path, agent: false, headers: { host: 'localhost' } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => (text += part));
      response.on('end', () => resolve(text));
      response.on('error', () => resolve(null));
    }).on('error', () => resolve(null));
  });
}
