import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type GatewayTrial, openGatewayTrial } from '../testing/gatewayTrial.ts';
import { certificateFile, PORTS, servedFiles, startBackend, visit } from '../testing/reconcileTrial.ts';

// With many domains nginx has their certificates as text and reads one when a visitor comes; who visits sees no difference.

const HOSTS = Array.from({ length: 19 }, (_, index) => `d${index}.example.test`);

let trial: GatewayTrial;
let port: number;
let stop: () => Promise<void>;

beforeAll(async () => {
  ({ port, stop } = await startBackend((request, response) =>
    response.end(`open to ${request.headers.host?.split(':')[0]}`),
  ));
  trial = await openGatewayTrial();
  const replies = HOSTS.map((domain, index) =>
    trial.api('POST /api/services/1/http', {
      name: `Many ${index}`,
      domain,
      backendHost: '127.0.0.1',
      backendPort: port,
    }),
  );
  await Promise.all(replies);
});
afterAll(async () => {
  await trial.stopGateway();
  await trial.close();
  await stop();
});

async function shake(servername: string, options: object = {}): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port: PORTS.https, servername, rejectUnauthorized: false, ...options });
  await once(socket, 'secureConnect');
  return socket;
}

async function shownName(host: string, options: object = {}): Promise<string | undefined> {
  const socket = await shake(host, options);
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return [subject.CN].flat()[0];
}

/** The files of the gateway that a text is found in. */
async function filesWith(text: string): Promise<string[]> {
  const files = await readdir(dirname(trial.ingress.layout.directory), { recursive: true, withFileTypes: true });
  const holds = (file: string): boolean => {
    try {
      return readFileSync(file).includes(text);
    } catch {
      // Gone meanwhile.
      return false;
    }
  };
  return files
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter(holds);
}

/** The texts of what nginx serves that a pattern is found in, and their modes. */
function found(pattern: RegExp): { text: string; mode: number }[] {
  return servedFiles(trial).flatMap(({ path, text }) =>
    pattern.test(text) ? [{ text, mode: statSync(path).mode & 0o777 }] : [],
  );
}

it('shows each visitor the certificate of the domain that they ask for', async () => {
  const servers = found(/ssl_certificate "data:/).flatMap(({ text }) => text.match(/ssl_certificate "data:/g));
  expect(servers).toHaveLength(1);
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3']) {
    expect(await Promise.all(HOSTS.map((host) => shownName(host, { maxVersion })))).toEqual(HOSTS);
  }
  expect(await shownName('nobody.example.test')).toBe('gateway.test');
  for (const host of HOSTS) expect(await visit(trial, host)).toMatchObject({ status: 200, body: `open to ${host}` });
});

it('lets nobody but root read the keys', () => {
  const files = found(/PRIVATE KEY/);
  expect(files).toHaveLength(1);
  expect(files.map(({ mode }) => mode)).toEqual([0o600]);
});

it('takes a session up again where it was begun, and nowhere else', async () => {
  const [one = '', two = ''] = HOSTS;
  const options = { maxVersion: 'TLSv1.2' };
  const first = await shake(one, options);
  // nginx notes a session after its last word of the handshake; once it answers, every worker knows it.
  first.write(`HEAD / HTTP/1.1\r\nHost: ${one}\r\n\r\n`);
  await once(first, 'data');
  const session = first.getSession();
  first.destroy();
  const again = await shake(one, { ...options, session });
  expect(again.isSessionReused()).toBe(true);
  again.destroy();
  const elsewhere = await shake(two, { ...options, session });
  expect(elsewhere.isSessionReused()).toBe(false);
  elsewhere.destroy();
});

it('has the key of a domain that was deleted nowhere any more', async () => {
  const host = HOSTS.at(-1) ?? '';
  const line = /-----BEGIN [A-Z ]*PRIVATE KEY-----\n(.+)\n/.exec(
    readFileSync(certificateFile(trial, host), 'utf8'),
  )?.[1];
  const key = line ?? '';
  expect(await filesWith(key)).toHaveLength(2);
  const [row] = await trial.store.domains.all({ domain: host });
  expect((await trial.api(`DELETE /api/domains/${row?.id}`)).status).toBe(200);
  // Nobody waits for that; it follows the answer at once, and no further change is needed.
  await vi.waitFor(async () => expect(await filesWith(key)).toEqual([]));
  // The others are still had as text.
  expect(found(/ssl_certificate "data:/)).not.toEqual([]);
});

it('goes on showing them when so many are gone that nginx reads the files again', async () => {
  const gone = HOSTS.slice(0, 4);
  const rows = (await trial.store.domains.all()).filter(({ domain }) => gone.includes(domain));
  for (const { id } of rows) expect((await trial.api(`DELETE /api/domains/${id}`)).status).toBe(200);
  expect(found(/data:|PRIVATE KEY/)).toEqual([]);
  const left = HOSTS.slice(4, -1);
  expect(await Promise.all(left.map((host) => shownName(host)))).toEqual(left);
  expect(await shownName(gone[1] ?? '')).toBe('gateway.test');
});
