import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

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
    '10',
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
