import { expect, it } from 'vitest';
import {
  problemsIn,
  seedNodesEachTest,
  type SeededNodes,
  type TestApi,
  type TestReply,
} from '../../testing/testApi.ts';

// Which TCP ports of a node may answer with the certificate of a domain.

let { admin, ids, edge, site }: SeededNodes = {} as never;
seedNodesEachTest((seeded) => ({ admin, ids, edge, site } = seeded));
const expose = (api: TestApi, name: string, more: object) =>
  api('POST /api/cli/expose/http', { name, ...(api === site && { backendHost: '192.0.2.9' }), ...more });
const exposeTcp = (api: TestApi, name: string, more: object) =>
  api('POST /api/cli/expose/tcp', { name, backendPort: 22, ...more });
const refused = (reply: TestReply) => ({ status: reply.status, problems: problemsIn(reply) });

/** A new domain of the administrator's; answers its id. */
async function domain(name: string, more: object = {}): Promise<number> {
  const reply = await admin('POST /api/domains', { domain: name, skipValidation: true, ...more });
  expect(reply.status).toBe(200);
  return Number(reply.body['id']);
}

// A port with TLS says what the website of a node may not: HSTS for all names below, and that cookies are to be deleted.
it('has no TCP port answer with the certificate of a domain that others use as well, though it was allowed to', async () => {
  await domain('shared.example.test', { allowedNodes: [ids.edgeId, ids.siteId] });
  const notFree = {
    status: 422,
    problems: {
      ssl: 'Others use this domain too, or may use it, so its certificate is not for a port of this node. Choose another domain, or ask the administrator to open it.',
    },
  };
  expect((await expose(site, 'app', { domain: 'shared.example.test', pathLocation: '/app' })).status).toBe(200);
  const shared = { domain: 'shared.example.test', ssl: true };
  expect(refused(await exposeTcp(edge, 'mqtt', shared))).toEqual(notFree);
  const plain = await exposeTcp(edge, 'mqtt', { domain: 'shared.example.test' });
  expect(plain.status).toBe(200);
  expect(refused(await edge(`PATCH /api/cli/services/tcp/${String(plain.body['id'])}`, { ssl: true }))).toEqual(
    notFree,
  );
  const other = await exposeTcp(edge, 'other', { ssl: true, domain: 'edge.example.test' });
  const otherPath = `/api/cli/services/tcp/${String(other.body['id'])}` as const;
  expect(refused(await edge(`PATCH ${otherPath}`, shared))).toEqual(notFree);
  // Closed as well: on the domain, it would keep the administrator from asking visitors there to sign in.
  expect((await edge(`PATCH ${otherPath}/disable`)).status).toBe(200);
  expect(refused(await edge(`PATCH ${otherPath}`, shared))).toEqual(notFree);
  await domain('both.example.test', { allowedNodes: [ids.edgeId, ids.siteId] });
  expect(refused(await exposeTcp(edge, 'both', { domain: 'both.example.test', ssl: true }))).toEqual(notFree);
  await domain('own.example.test', { allowedNodes: [ids.edgeId] });
  expect((await exposeTcp(edge, 'own', { domain: 'own.example.test', ssl: true })).status).toBe(200);
});

it('opens no such port again once others use the domain, and moves none', async () => {
  const id = await domain('shared.example.test', { allowedNodes: [ids.edgeId] });
  const tls = { domain: 'shared.example.test', ssl: true };
  const made = async (name: string) => {
    const { body } = await exposeTcp(edge, name, tls);
    return `/api/cli/services/tcp/${String(body['id'])}` as const;
  };
  const [closed, open] = [await made('closed'), await made('open')];
  await edge(`PATCH ${closed}/disable`);
  await admin(`PATCH /api/domains/${id}`, { allowedNodes: [ids.edgeId, ids.siteId] });
  expect((await expose(site, 'app', { domain: 'shared.example.test', pathLocation: '/app' })).status).toBe(200);
  const notFree = {
    status: 422,
    problems: { ssl: expect.stringMatching(/its certificate is not for a port of this/) },
  };
  expect(refused(await edge(`PATCH ${closed}/enable`))).toEqual(notFree);
  expect(refused(await exposeTcp(edge, 'closed', tls))).toEqual(notFree);
  expect(refused(await edge(`PATCH ${open}`, { port: 20_777 }))).toEqual(notFree);
  expect((await edge(`PATCH ${open}`, { backendPort: 23 })).status).toBe(200);
  expect((await edge(`PATCH ${closed}`, { ssl: false })).status).toBe(200);
  expect((await edge(`PATCH ${closed}/enable`)).status).toBe(200);
});

it('cannot have a TCP port answer with the certificate of a domain that is not its own', async () => {
  const made = await admin(`POST /api/services/${ids.edgeId}/tcp`, {
    name: 'broker',
    domain: 'app.example.test',
    backendPort: 1883,
  });
  const path = `/api/cli/services/tcp/${Number(made.body['id'])}` as const;
  expect(refused(await edge(`PATCH ${path}`, { ssl: true }))).toEqual({
    status: 422,
    problems: { domain: expect.stringMatching(/^This node may not use this domain/) },
  });
  expect((await edge(`PATCH ${path}`, { backendPort: 1884 })).status).toBe(200);
});
