import { type Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const VISIT_LIMIT_MS = 20_000;

/** `status` 0: there was no answer, and `body` says why. `reused`: the connection had carried a request before. */
export type Visited = { status: number; body: string; reused: boolean };

/** Asks nginx for a page of a domain over HTTPS, on a connection of its own unless an agent keeps some. */
export function visit(port: number, url: string, agent: Agent | false = false): Promise<Visited> {
  const { hostname, pathname, search } = new URL(url);
  const { promise, resolve } = Promise.withResolvers<Visited>();
  const sent = request({
    host: '127.0.0.1',
    port,
    servername: hostname,
    // The certificate is the gateway's own; that it is the right one is tested elsewhere.
    rejectUnauthorized: false,
    agent,
    path: pathname + search,
    headers: { host: `${hostname}:${port}` },
    signal: AbortSignal.timeout(VISIT_LIMIT_MS),
  });
  const failed = (error: Error): void => resolve({ status: 0, body: error.message, reused: sent.reusedSocket });
  sent.once('error', failed);
  sent.once('response', (response) => {
    text(response).then(
      (body) => resolve({ status: response.statusCode ?? 0, body, reused: sent.reusedSocket }),
      failed,
    );
  });
  sent.end();
  return promise;
}

const run = promisify(execFile);

/** What `curl` got: the status and the body. The name is looked up nowhere: it leads to loopback. */
export async function curl(url: string, args: string[] = []): Promise<{ status: number; body: string }> {
  const { hostname, port, protocol } = new URL(url);
  const realPort = port || (protocol === 'https:' ? '443' : '80');
  const { stdout } = await run('curl', [
    '--silent',
    '--show-error',
    '--insecure',
    '--noproxy',
    '*',
    '--max-time',
    String(VISIT_LIMIT_MS / 1000),
    '--resolve',
    `${hostname}:${realPort}:127.0.0.1`,
    '--write-out',
    '\n%{http_code}',
    ...args,
    url,
  ]);
  const end = stdout.lastIndexOf('\n');
  return { status: Number(stdout.slice(end + 1)), body: stdout.slice(0, end) };
}
