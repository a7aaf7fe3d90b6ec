import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';

type Row = Record<string, unknown>;

/** What its API answers to its administrator, by the path of a list. */
export type WiredoorLists = Partial<
  Record<'/api/nodes' | '/api/domains' | '/api/services/http' | '/api/services/tcp', Row[]>
>;

/** A Wiredoor server as its API shows it, with a certificate that no authority vouches for. */
export type WiredoorServer = {
  url: string;
  /** The SHA-256 of its certificate, as browsers show it. */
  fingerprint: string;
  caFile: string;
  token: string;
  username: string;
  password: string;
  /** The requests that it was sent: method, path and query. */
  asked: string[];
  lists: WiredoorLists;
  /** Answers a path in another way from now on. */
  answer(path: string, reply: (response: ServerResponse) => void): void;
  close(): void;
};

/** @param directory where its certificate is put */
export async function openWiredoorServer(directory: string, lists: WiredoorLists): Promise<WiredoorServer> {
  mkdirSync(directory, { recursive: true });
  const [key, caFile] = [join(directory, 'server.key'), join(directory, 'server.pem')];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key, '-out', caFile];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync('openssl', ['req', '-x509', '-days', '2', ...curve, ...names], { stdio: 'ignore' });
  const cert = readFileSync(caFile);
  const answers = new Map<string, (response: ServerResponse) => void>();
  const [token, username, password] = ['aaa.bbb.ccc', 'admin@example.test', 'correct horse'];
  const asked: string[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers } = request;
    asked.push(`${method} ${url}`);
    const { pathname, searchParams } = new URL(url, 'https://localhost');
    const say = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const other = answers.get(pathname);
    if (other !== undefined) other(response);
    else if (method === 'POST' && pathname === '/api/auth/login') {
      const given = (await json(request)) as Row;
      if (given['username'] === username && given['password'] === password) say(200, { token, expiresIn: '1h' });
      else say(401, { status: 'error', message: 'Unknown error' });
    } else if (headers.authorization !== `Bearer ${token}`) say(401, { status: 'error', message: 'Unknown error' });
    else if (method === 'GET' && pathname in lists) {
      const rows = lists[pathname as keyof WiredoorLists] ?? [];
      const limit = Number(searchParams.get('limit'));
      say(200, { data: rows.slice(0, limit), page: 1, limit, total: rows.length });
    } else response.writeHead(404, { 'content-type': 'text/html' }).end(`Cannot ${method} ${pathname}`);
  };
  const server = createServer({ key: readFileSync(key), cert }, (request, response) => void serve(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    fingerprint: new X509Certificate(cert).fingerprint256,
    caFile,
    token,
    username,
    password,
    asked,
    lists,
    answer: (path, reply) => void answers.set(path, reply),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
