import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type GatewayTrial, openGatewayTrial } from '../testing/gatewayTrial.ts';
import { certificateFile, PORTS, servedFiles, startBackend, visit } from '../testing/reconcileTrial.ts';
import { SERVICES_CERTIFICATE_NAME } from './preparation.ts';

// Domains and their certificates, and what is left of a domain and of a node when they are deleted: nothing.

let trial: GatewayTrial;
let port: number;

beforeAll(async () => {
  ({ port } = await startBackend((request, response) =>
    response.end(`open to ${request.headers.host?.split(':')[0]}`),
  ));
  trial = await openGatewayTrial();
});
afterAll(async () => {
  await trial.stopGateway();
  await trial.close();
});

const create = async (domain: string | null, rest: object = {}): Promise<number> => {
  const body = { name: 'Trace', domain, backendHost: '127.0.0.1', backendPort: port, ...rest };
  const reply = await trial.api('POST /api/services/1/http', body);
  expect(reply.status).toBe(200);
  return Number(reply.body['id']);
};
const domainId = async (domain: string): Promise<number> => (await trial.store.domains.all({ domain }))[0]?.id ?? 0;

const saysAnywhere = (word: string | RegExp): string[] =>
  servedFiles(trial).flatMap(({ path, text }) => (`${path}\n${text}`.search(word) >= 0 ? [path] : []));
const certificates = (): string[] => readdirSync(trial.ingress.layout.certificates);

async function shake(servername: string, options: object = {}): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port: PORTS.https, servername, rejectUnauthorized: false, ...options });
  await once(socket, 'secureConnect');
  return socket;
}

/** The name in the certificate that a visitor of this name is shown. */
async function shownName(host: string, options: object = {}): Promise<string | undefined> {
  const socket = await shake(host, options);
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return [subject.CN].flat()[0];
}

it('leaves no trace of a domain, its services and its keys', async () => {
  const host = 'trace.example.test';
  const ids = [await create(host), await create(host, { pathLocation: '/inner' })];
  await create('stays.example.test');
  for (const id of ids) expect(saysAnywhere(new RegExp(`\\$service_id ${id};`))).toHaveLength(1);
  expect(certificates()).toContain(host);
  const id = await domainId(host);

  expect(await trial.api(`DELETE /api/domains/${id}`)).toMatchObject({
    status: 200,
    body: 'Deleted! With it went: Trace, Trace.',
  });
  expect(saysAnywhere(host)).toEqual([]);
  expect(saysAnywhere(new RegExp(`\\$domain_id ${id};`))).toEqual([]);
  for (const service of ids)
    expect(saysAnywhere(new RegExp(`\\b${service}\\.http|\\$service_id ${service};`))).toEqual([]);
  expect(certificates().toSorted()).toEqual(['gateway.test', SERVICES_CERTIFICATE_NAME, 'stays.example.test']);
  expect(await shownName(host)).toBe(SERVICES_CERTIFICATE_NAME);
  expect((await visit(trial, 'stays.example.test')).body).toBe('open to stays.example.test');
});

it('has the domain back at once when it is added again, with another key', async () => {
  const host = 'again.example.test';
  await create(host);
  const before = readFileSync(certificateFile(trial, host), 'utf8');
  for (let round = 0; round < 2; round += 1) {
    // Both at once: whichever comes first, the other finds the world as it left it.
    const [gone] = await Promise.all([
      trial.api(`DELETE /api/domains/${await domainId(host)}`),
      create('bystander.example.test', { pathLocation: `/${round}` }),
    ]);
    expect(gone.status).toBe(200);
    await create(host);
    expect((await visit(trial, host)).body).toBe(`open to ${host}`);
  }
  expect(readFileSync(certificateFile(trial, host), 'utf8')).not.toBe(before);
});

it('removes the keys that an earlier gateway left behind', async () => {
  const host = 'left.example.test';
  await create(host);
  const id = await domainId(host);
  await trial.stopGateway();
  await trial.store.write((tx) => tx.domains.remove(id));
  expect(certificates()).toContain(host);
  await trial.startGateway();
  expect(certificates()).not.toContain(host);
  expect(certificates()).toContain('stays.example.test');
});
describe('many domains', () => {
  const HOSTS = Array.from({ length: 19 }, (_, index) => `d${index}.example.test`);

  beforeAll(async () => {
    // The others must not be counted.
    const known = await trial.store.domains.all();
    await Promise.all(known.map(({ id }) => trial.api(`DELETE /api/domains/${id}`)));
    await Promise.all(HOSTS.map((domain) => create(domain)));
  });

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

  it('shows each visitor the certificate of the domain that they ask for', async () => {
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3']) {
      expect(await Promise.all(HOSTS.map((host) => shownName(host, { maxVersion })))).toEqual(HOSTS);
    }
    expect(await shownName('unknown.example.test')).toBe(SERVICES_CERTIFICATE_NAME);
    for (const host of HOSTS) expect(await visit(trial, host)).toMatchObject({ status: 200, body: `open to ${host}` });
  });

  it('takes a session up again where it was begun', async () => {
    const [one = ''] = HOSTS;
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
  });

  // A visitor pays nothing for a group of 8192 bits, and a worker stands still for a seventh of a second.
  it('agrees on no finite-field group', async () => {
    const options = { ecdhCurve: 'ffdhe3072', minVersion: 'TLSv1.3' };
    await expect(shake(HOSTS[0] ?? '', options)).rejects.toThrow(/handshake failure/);
  });

  it('has the key of a domain that was deleted nowhere any more', async () => {
    const host = HOSTS.at(-1) ?? '';
    const line = /-----BEGIN [A-Z ]*PRIVATE KEY-----\n(.+)\n/.exec(
      readFileSync(certificateFile(trial, host), 'utf8'),
    )?.[1];
    const key = line ?? '';
    expect(await filesWith(key)).toEqual([certificateFile(trial, host)]);
    const [row] = await trial.store.domains.all({ domain: host });
    expect((await trial.api(`DELETE /api/domains/${row?.id}`)).status).toBe(200);
    // The answer does not wait for that; it follows the answer at once, and no further change is needed.
    await vi.waitFor(async () => expect(await filesWith(key)).toEqual([]));
  });
});
