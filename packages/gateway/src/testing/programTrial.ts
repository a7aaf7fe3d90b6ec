import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { errorCode } from '../machine/errorCode.ts';
import { freePorts } from './freePorts.ts';

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));
/** nginx ends at once; no signal tells a process that is not its parent. */
const END_MAX_MS = 30_000;
const END_POLL_MS = 20;
/** What the administrator is given at the first start, and signs in with. */
export const PASSWORD = 'correct horse battery';

/** The program itself on a data directory of its own, as an administrator starts and ends it. */
export type ProgramTrial = {
  data: string;
  /** Where it listens; what is changed here counts from the next start on. */
  ports: { listen: number; console: number; http: number; https: number };
  /**
   * Starts it; fulfilled once it serves or has ended.
   * @param how.within a command that starts another one, with its arguments
   * @param how.args arguments of the program itself
   * @param how.typed it has a terminal, on which someone has typed this; its SIGINT is a Ctrl+C there
   * @param how.unread nothing reads what it says; fulfilled only once it has ended
   */
  start(
    env?: NodeJS.ProcessEnv,
    how?: { within?: readonly string[]; args?: readonly string[]; typed?: string; unread?: boolean },
  ): Promise<StartedProgram>;
  /** Calls its API; signed in unless `token` is null. */
  call(method: string, path: string, body?: object, token?: string | null): Promise<Reply>;
  signIn(password?: string): Promise<Reply>;
  /** What a visitor gets over HTTPS; the error's code when there is no answer. */
  visit(domain: string, path?: string, port?: number): Promise<string>;
  /** The process number of the nginx of the data directory; null: none. */
  nginx(): number | null;
  close(): Promise<void>;
};

export type Reply = { status: number; body: Record<string, unknown> };

export type StartedProgram = {
  pid: number;
  out: string;
  err: string;
  /** Null while it runs. */
  code: number | null;
  end(signal: NodeJS.Signals): Promise<number | null>;
};

/** @param data where it keeps its files; by default in a directory that is removed in the end */
export async function openProgramTrial(data?: string): Promise<ProgramTrial> {
  const base = mkdtempSync(join(tmpdir(), 'sallyport-program-'));
  chmodSync(base, 0o711);
  const directory = data ?? join(base, 'data');
  const [listen = 0, console = 0, http = 0, https = 0] = await freePorts(4);
  const ports = { listen, console, http, https };
  const running = new Set<ChildProcess>();
  let token: string | null = null;
  let knowsPassword = false;

  const nginx = (): number | null => {
    const file = join(directory, 'ingress', 'run', 'nginx.pid');
    const pid = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
    return pid > 1 && existsSync(`/proc/${pid}`) ? pid : null;
  };

  const call: ProgramTrial['call'] = async (method, path, body, given = token) => {
    const response = await fetch(`http://127.0.0.1:${ports.listen}${path}`, {
      method,
      headers: { ...(given !== null && { authorization: `Bearer ${given}` }), connection: 'close' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  return {
    data: directory,
    ports,
    nginx,
    call,
    visit: (domain, path = '/', port = ports.https) => visit(port, domain, path),
    async start(env = {}, { within = [], args = [], typed, unread = false } = {}) {
      const plain = [...within, process.execPath, '--conditions=source', MAIN, ...args];
      const [command = process.execPath, ...words] = typed === undefined ? plain : onTerminal(plain);
      const program = spawn(command, words, {
        env: {
          PATH: process.env['PATH'],
          NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
          SALLYPORT_DATA: directory,
          SALLYPORT_LISTEN: `127.0.0.1:${ports.listen}`,
          SALLYPORT_CONSOLE_PORT: String(ports.console),
          SALLYPORT_HTTP_PORT: String(ports.http),
          SALLYPORT_HTTPS_PORT: String(ports.https),
          SALLYPORT_VPN_HOST: 'gw.example.test',
          // Nothing answers there: no test asks a public name server.
          SALLYPORT_DNS_SERVERS: '127.0.0.1:1',
          SALLYPORT_ACME_URL: 'https://127.0.0.1:1/directory',
          SALLYPORT_TUNNEL: 'off',
          // Once it is known there, it would be checked at each start, which takes long on purpose.
          ...(!knowsPassword && { SALLYPORT_ADMIN_PASSWORD: PASSWORD }),
          ...env,
        },
        stdio: 'pipe',
      });
      running.add(program);
      if (typed === undefined) program.stdin.end();
      else program.stdin.write(typed);
      if (unread) [program.stdout, program.stderr].forEach((stream) => stream.destroy());
      const { promise: ready, resolve } = Promise.withResolvers<void>();
      const started: StartedProgram = {
        pid: program.pid ?? 0,
        out: '',
        err: '',
        code: null,
        end(signal) {
          send(program, signal);
          return ended;
        },
      };
      program.stdout.setEncoding('utf8').on('data', (part: string) => {
        started.out += part;
        if (started.out.includes('Sallyport is running') && started.out.endsWith('\n\n')) resolve();
      });
      program.stderr.setEncoding('utf8').on('data', (part: string) => void (started.err += part));
      const ended = once(program, 'close').then(([code]) => {
        running.delete(program);
        started.code = code as number | null;
        resolve();
        return started.code;
      });
      await ready;
      knowsPassword ||= started.code === null;
      return started;
    },
    async signIn(password = PASSWORD) {
      const reply = await call('POST', '/api/auth/login', { username: 'admin', password }, null);
      if (reply.status === 200) token = String(reply.body['token']);
      return reply;
    },
    async close() {
      for (const program of running) {
        send(program, 'SIGINT');
        await once(program, 'close');
      }
      // What a killed gateway left serving is ours to end.
      const left = nginx();
      if (left !== null) await endProcess(left);
      rmSync(base, { recursive: true, force: true });
    },
  };
}

/** A command on a terminal of its own, which leaves line breaks as they are. */
const onTerminal = (words: readonly string[]): string[] => [
  'script',
  '-qefc',
  `stty -onlcr; exec ${words.join(' ')}`,
  '/dev/null',
];

const CTRL_C = '\u0003';

/** What has a terminal is told there. */
function send(program: ChildProcess, signal: NodeJS.Signals): void {
  if (program.stdin?.writable !== true || signal !== 'SIGINT') program.kill(signal);
  else program.stdin.write(CTRL_C);
}

/** Ends a process that is not a child of this one, and waits until it has let go of its files. */
async function endProcess(pid: number): Promise<void> {
  process.kill(pid, 'SIGTERM');
  for (let left = END_MAX_MS; left > 0 && existsSync(`/proc/${pid}/exe`); left -= END_POLL_MS) await delay(END_POLL_MS);
}

async function visit(port: number, domain: string, path: string): Promise<string> {
  const to = { host: '127.0.0.1', port, path, servername: domain, headers: { host: domain } };
  try {
    const sent = request({ ...to, rejectUnauthorized: false, agent: false }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return await text(response);
  } catch (error) {
    return errorCode(error);
  }
}
