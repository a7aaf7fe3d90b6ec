import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type GatewayTrial, openGatewayTrial } from '../testing/gatewayTrial.ts';
import { certificateFile, PORTS, servedFiles, startBackend, visit } from '../testing/reconcileTrial.ts';

// What is left of a domain and of a node when they are deleted: nothing.

let trial: GatewayTrial;
let port: number;
let stop: () => Promise<void>;

beforeAll(async () => {
  ({ port, stop } = await startBackend((_request, response) => response.end('open')));
  trial = await openGatewayTrial();
});
afterAll(async () => {
  await trial.stopGateway();
  await trial.close();
  await stop();
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

/** The name in the certificate that a visitor of this name is shown. */
async function shownCertificate(host: string): Promise<string | undefined> {
  const socket = connect({ host: '127.0.0.1', port: PORTS.https, servername: host, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
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
  expect(certificates().toSorted()).toEqual(['gateway.test', 'stays.example.test']);
  expect(await shownCertificate(host)).toBe('gateway.test');
  expect((await visit(trial, 'stays.example.test')).body).toBe('open');
});

it('has the domain back at once when it is added again, with another key', async () => {
  const host = 'again.example.test';
  await create(host);
  const before = readFileSync(certificateFile(trial, host), 'utf8');
  for (let round = 0; round < 3; round += 1) {
    // Both at once: whichever comes first, the other finds the world as it left it.
    const [gone] = await Promise.all([
      trial.api(`DELETE /api/domains/${await domainId(host)}`),
      create('bystander.example.test', { pathLocation: `/${round}` }),
    ]);
    expect(gone.status).toBe(200);
    await create(host);
    expect((await visit(trial, host)).body).toBe('open');
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
it('leaves no trace of a node’s services', async () => {
  const node = await trial.api('POST /api/nodes', { name: 'gone' });
  const nodeId = Number(node.body['id']);
  const reply = await trial.api(`POST /api/services/${nodeId}/http`, {
    name: 'Of it',
    pathLocation: '/of-it',
    backendPort: 80,
  });
  const id = Number(reply.body['id']);
  expect(saysAnywhere('/of-it')).toHaveLength(1);
  await trial.api(`DELETE /api/nodes/${nodeId}`);
  expect(saysAnywhere('/of-it')).toEqual([]);
  expect(saysAnywhere(new RegExp(`\\b${id}\\.http|\\$service_id ${id};`))).toEqual([]);
});

it('keeps the console when its domain is deleted', async () => {
  const host = 'console.example.test';
  await trial.api('POST /api/domains', { domain: host, skipValidation: true });
  const [builtin] = await trial.store.httpServices.all({ builtin: true });
  const reply = await trial.api(`PATCH /api/services/1/http/${builtin?.id}`, { domain: host });
  expect(reply).toMatchObject({ status: 200, body: { publicAccess: `https://${host}:${PORTS.https}/` } });
  expect(await trial.api(`DELETE /api/domains/${await domainId(host)}`)).toMatchObject({ body: 'Deleted!' });
  expect(saysAnywhere(host)).toEqual([]);
  expect((await trial.store.httpServices.get(builtin?.id ?? 0))?.domain).toBeNull();
});
