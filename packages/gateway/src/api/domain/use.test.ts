import { beforeEach, describe, expect, it } from 'vitest';
import {
  problemsIn,
  seedNodesEachTest,
  type SeededNodes,
  type TestApi,
  type TestReply,
} from '../../testing/testApi.ts';
import { refuses } from '../../testing/fakeIngress.ts';
import { aDomain, aService } from '../../testing/storedRows.ts';

// Which domains and paths an access token of a node may use.

let { gateway, admin, ids, edge, site }: SeededNodes = {} as never;
seedNodesEachTest((seeded) => ({ gateway, admin, ids, edge, site } = seeded));
beforeEach(() => gateway.world.setSignIn({ available: true }));

const BEHIND_SITE = { backendHost: '192.0.2.9' };
const NOT_YOURS =
  'This node may not use this domain. Choose another one, or ask the administrator to allow the node to use it.';
const PATH_NOT_FREE =
  'This path is not free for this node. Choose another path or another domain, or ask the administrator to publish it.';
const WHOLE_DOMAIN =
  'This path speaks for the whole domain, which others use too, or may use. Choose another path or another domain, or ask the administrator to publish it.';

const expose = (api: TestApi, name: string, more: object) =>
  api('POST /api/cli/expose/http', { name, ...(api === site && BEHIND_SITE), ...more });
const exposeTcp = (api: TestApi, name: string, more: object) =>
  api('POST /api/cli/expose/tcp', { name, backendPort: 22, ...(api === site && BEHIND_SITE), ...more });
const refused = (reply: TestReply) => ({ status: reply.status, problems: problemsIn(reply) });
const notYours = { status: 422, problems: { domain: NOT_YOURS } };

/** A new domain of the administrator's; answers its id. */
async function domain(name: string, more: object = {}): Promise<number> {
  const reply = await admin('POST /api/domains', { domain: name, skipValidation: true, ...more });
  expect(reply.status).toBe(200);
  return Number(reply.body['id']);
}
const domainNamed = async (name: string) => (await gateway.store.domains.all({ domain: name }))[0];

describe('a node’s token', () => {
  it('may use a domain that is not there yet, which is the node’s then', async () => {
    expect((await expose(edge, 'web', { domain: 'web.example.test' })).body).toMatchObject({ domainCreated: true });
    expect((await expose(edge, 'api', { domain: 'web.example.test', pathLocation: '/api' })).status).toBe(200);
    expect((await exposeTcp(edge, 'ssh', { domain: 'web.example.test', ssl: true })).status).toBe(200);
  });

  it.each(['web.example.test', 'WEB.example.test', ' web.Example.Test '])(
    'may not use the domain of another node as %j',
    async (name) => {
      await expose(edge, 'web', { domain: 'web.example.test' });
      const before = JSON.stringify(await gateway.store.desired());
      expect(refused(await expose(site, 'login', { domain: name, pathLocation: '/login' }))).toEqual(notYours);
      expect(refused(await exposeTcp(site, 'login', { domain: name, ssl: true }))).toEqual(notYours);
      expect(JSON.stringify(await gateway.store.desired())).toBe(before);
    },
  );

  it('may not use what is no name: with a last dot, a wildcard, an address', async () => {
    await expose(edge, 'web', { domain: 'web.example.test' });
    for (const name of ['web.example.test.', '*.example.test', 'web.example.test/x', '192.0.2.1', 'w b.test']) {
      expect(Object.keys(problemsIn(await expose(site, 'login', { domain: name })))).toEqual(['domain']);
    }
  });

  it('is told the same about every domain that is not its own', async () => {
    await domain('empty.example.test');
    await domain('members.example.test', { authentication: true });
    const [builtin] = await gateway.store.httpServices.all({ builtin: true });
    await admin(`PATCH /api/services/1/http/${Number(builtin?.id)}`, { domain: 'console.example.test' });
    await expose(edge, 'web', { domain: 'web.example.test' });
    for (const name of ['app', 'empty', 'members', 'console', 'web'].map((label) => `${label}.example.test`)) {
      expect(refused(await expose(site, 'x', { domain: name }))).toEqual(notYours);
      expect(refused(await expose(site, 'x', { domain: name, requireAuth: true }))).toEqual(notYours);
      expect(refused(await exposeTcp(site, 'x', { domain: name }))).toEqual(notYours);
    }
  });

  it('may not take the name of the gateway’s machine, where visitors know the gateway by another', async () => {
    expect(refused(await expose(edge, 'x', { domain: 'machine.example.test' }))).toEqual(notYours);
    await domain('machine.example.test', { allowedNodes: [ids.edgeId] });
    expect((await expose(edge, 'x', { domain: 'machine.example.test' })).status).toBe(200);
  });

  it('may not take a name above a domain that is not its own, or above the gateway’s names', async () => {
    await domain('app.parent.example.test', {});
    for (const name of ['parent.example.test', 'example.test', 'test.example']) {
      const { status } = await expose(edge, 'x', { domain: name });
      expect([name, status]).toEqual([name, name === 'test.example' ? 200 : 422]);
    }
    expect((await expose(edge, 'own', { domain: 'a.own.example' })).status).toBe(200);
    expect((await expose(edge, 'above', { domain: 'own.example' })).status).toBe(200);
    expect(refused(await expose(edge, 'x', { domain: 'parent.example.test' }))).toEqual(notYours);
    // A name that is known, as the administrator deleted its last service, is none of a node for that.
    const left = await expose(site, 'left', { domain: 'own.example' });
    expect(refused(left)).toEqual(notYours);
    const { body } = await edge('POST /api/cli/expose/http', { name: 'above', domain: 'own.example', backendPort: 82 });
    await admin(`DELETE /api/services/${ids.edgeId}/http/${Number(body['id'])}`);
    expect((await domainNamed('own.example'))?.reserved).toBe(false);
    expect(refused(await expose(site, 'left', { domain: 'own.example' }))).toEqual(notYours);
    expect((await expose(edge, 'again', { domain: 'own.example' })).status).toBe(200);
  });

  it('may not take a name above the gateway’s own where no domain is below it', async () => {
    for (const { id } of await gateway.store.domains.all()) await admin(`DELETE /api/domains/${id}`);
    expect(refused(await expose(edge, 'x', { domain: 'example.test' }))).toEqual(notYours);
    expect(await gateway.store.domains.all()).toEqual([]);
  });

  it('may not move a service of its own to a domain that is not', async () => {
    const tcp = await exposeTcp(edge, 'ssh', {});
    const body = { domain: 'app.example.test' };
    expect(refused(await edge(`PATCH /api/cli/services/http/${ids.wikiId}`, body))).toEqual(notYours);
    expect(refused(await edge(`PATCH /api/cli/services/tcp/${Number(tcp.body['id'])}`, body))).toEqual(notYours);
    expect(refused(await expose(edge, 'Wiki', { ...body, pathLocation: '/wiki' }))).toEqual(notYours);
    expect(await gateway.store.httpServices.get(ids.wikiId)).toMatchObject({ domain: null, version: 1 });
  });

  it('may use a domain that it was allowed, below the paths of others it may not', async () => {
    expect((await admin(`PATCH /api/domains/${ids.domainId}`, { allowedNodes: [ids.edgeId] })).status).toBe(200);
    expect((await expose(edge, 'api', { domain: 'app.example.test', pathLocation: '/api' })).status).toBe(200);
    await admin('POST /api/services/1/http', {
      name: 'Shop',
      domain: 'app.example.test',
      pathLocation: '/shop',
      backendHost: '127.0.0.1',
    });
    for (const pathLocation of ['/shop', '/shop/', '/shop/login']) {
      expect(refused(await expose(edge, 'x', { domain: 'app.example.test', pathLocation }))).toEqual({
        status: 422,
        problems: { pathLocation: PATH_NOT_FREE },
      });
    }
    expect((await expose(edge, 'x', { domain: 'app.example.test', pathLocation: '/shopping' })).status).toBe(200);
    expect(refused(await expose(site, 'x', { domain: 'app.example.test', pathLocation: '/x' }))).toEqual(notYours);
  });

  it('may use every domain when the node was allowed that', async () => {
    expect((await admin(`PATCH /api/nodes/${ids.edgeId}`, { allowAnyDomain: true })).body).toMatchObject({
      allowAnyDomain: true,
    });
    expect((await expose(edge, 'api', { domain: 'app.example.test', pathLocation: '/api' })).status).toBe(200);
    const other = await admin(`POST /api/services/${ids.siteId}/http`, {
      name: 'x',
      domain: 'app.example.test',
      pathLocation: '/x',
      ...BEHIND_SITE,
    });
    expect(other.status).toBe(200);
    expect((await expose(edge, 'y', { domain: 'app.example.test', pathLocation: '/x/y' })).status).toBe(422);
  });

  it('may not speak for a domain on which others have services, though the node was allowed to use it', async () => {
    const whole = (pathLocation: string) => expose(edge, 'whole', { domain: 'web.example.test', pathLocation });
    await expose(site, 'web', { domain: 'web.example.test', pathLocation: '/web' });
    const row = await domainNamed('web.example.test');
    await admin(`PATCH /api/nodes/${ids.edgeId}`, { allowAnyDomain: true });
    const paths = ['/.well-known', '/.well-known/', '/.well-known/webauthn', '/.Well-Known/matrix/server'];
    for (const path of [...paths, '/']) {
      expect([path, refused(await whole(path)).problems]).toEqual([path, { pathLocation: WHOLE_DOMAIN }]);
    }
    expect((await whole('/.well-knownx')).status).toBe(200);
    // What the administrator publishes there stays changeable where it is.
    const [service] = await gateway.store.httpServices.all({ name: 'whole' });
    const id = service?.id ?? 0;
    const put = { pathLocation: '/.well-known/matrix' };
    await admin(`PATCH /api/services/${ids.edgeId}/http/${id}`, put);
    expect((await edge(`PATCH /api/cli/services/http/${id}`, { ...put, backendPort: 81 })).status).toBe(200);
    await domain('both.example.test', { allowedNodes: [ids.edgeId, ids.siteId] });
    const early = await expose(edge, 'early', { domain: 'both.example.test', pathLocation: '/.well-known' });
    expect(refused(early).problems).toEqual({ pathLocation: WHOLE_DOMAIN });
    // Who lists the node for this very domain lets it answer for the paths that no one has.
    await admin(`PATCH /api/domains/${row?.id ?? 0}`, { allowedNodes: [ids.edgeId] });
    expect(refused(await whole('/.well-known')).problems).toEqual({ pathLocation: WHOLE_DOMAIN });
    expect((await whole('/')).status).toBe(200);
  });

  it('may speak for a domain on which no one else has a service', async () => {
    const at = (pathLocation: string) => expose(edge, pathLocation, { domain: 'web.example.test', pathLocation });
    for (const path of ['/.well-known', '/']) expect((await at(path)).status).toBe(200);
  });

  it('may not prove to certificate authorities whose a domain is, also where no one else has a service', async () => {
    const message =
      'Certificate authorities look at this path whose the name is. Choose another path, or ask the administrator to publish it.';
    for (const path of [
      '/.well-known/pki-validation',
      '/.Well-Known/acme-challenge/',
      '/.well-known/pki-validation/x',
    ]) {
      const reply = await expose(edge, 'proof', { domain: 'web.example.test', pathLocation: path });
      expect([path, refused(reply)]).toEqual([path, { status: 422, problems: { pathLocation: message } }]);
    }
    expect(await domainNamed('web.example.test')).toBeUndefined();
  });

  it('may not speak for the gateway’s own name', async () => {
    const problems = {
      pathLocation: "Paths below /.well-known speak for the gateway's whole name. Give the service a domain.",
    };
    for (const pathLocation of ['/.well-known', '/.Well-Known/', '/.well-known/webauthn']) {
      expect(refused(await expose(edge, 'x', { pathLocation }))).toEqual({ status: 422, problems });
      const moved = await edge(`PATCH /api/cli/services/http/${ids.wikiId}`, { domain: '', pathLocation });
      expect(refused(moved)).toEqual({ status: 422, problems });
    }
  });

  it('may not take a path below that of another node on the gateway’s own name', async () => {
    for (const pathLocation of ['/wiki', '/wiki/', '/wiki/login', '/WIKI', '/Wiki/login']) {
      expect(refused(await expose(site, 'x', { pathLocation })).problems).toEqual({ pathLocation: PATH_NOT_FREE });
    }
    expect((await expose(edge, 'x', { pathLocation: '/wiki/login' })).status).toBe(200);
    expect((await expose(site, 'site', { pathLocation: '/' })).status).toBe(200);
    expect(refused(await expose(edge, 'y', { pathLocation: '/login' })).problems).toEqual({
      pathLocation:
        "This path is not free for this node. Another node has the root of this name. Choose another domain, or ask the administrator to let this node's access tokens use every domain (allowAnyDomain).",
    });
    expect(refused(await expose(edge, 'y', { pathLocation: '/' })).problems).toEqual({ pathLocation: PATH_NOT_FREE });
    await admin(`PATCH /api/nodes/${ids.edgeId}`, { allowAnyDomain: true });
    expect((await expose(edge, 'y', { pathLocation: '/login' })).status).toBe(200);
  });

  it('may not take a path above that of another node either, where its visitors would meet the other', async () => {
    expect((await expose(edge, 'x', { pathLocation: '/cloud/login' })).status).toBe(200);
    for (const pathLocation of ['/cloud', '/Cloud/']) {
      expect(refused(await expose(site, 'y', { pathLocation })).problems).toEqual({ pathLocation: PATH_NOT_FREE });
    }
    expect((await expose(site, 'y', { pathLocation: '/' })).status).toBe(200);
  });

  it('may not take a path of a service whose domain has become a name of the gateway', async () => {
    const own = 'vpn.example.test';
    const place = { name: 'Shop', domain: own, pathLocation: '/shop', backendPort: 80 };
    await gateway.store.write(async (tx) => {
      await tx.domains.create({ ...aDomain, domain: own, allowedEmails: null });
      await tx.httpServices.create({ ...aService, ...place, nodeId: 1 });
    });
    for (const pathLocation of ['/shop', '/shop/login', '/SHOP/', '/']) {
      expect(refused(await expose(edge, 'x', { pathLocation })).problems).toMatchObject({
        pathLocation: PATH_NOT_FREE,
      });
    }
  });

  it('changes its services where the administrator put them, and opens them', async () => {
    await admin(`PATCH /api/services/${ids.edgeId}/http/${ids.wikiId}`, {
      domain: 'app.example.test',
      pathLocation: '/wiki',
    });
    await admin(`PATCH /api/services/${ids.edgeId}/http/${ids.wikiId}/disable`);
    const path = `/api/cli/services/http/${ids.wikiId}` as const;
    expect((await edge(`PATCH ${path}`, { backendPort: 8090 })).status).toBe(200);
    expect((await edge(`PATCH ${path}/enable`)).body).toMatchObject({ enabled: true, domain: 'app.example.test' });
    const again = { domain: 'APP.example.test', pathLocation: '/wiki', backendPort: 8091 };
    expect((await expose(edge, 'Wiki', again)).body).toMatchObject({ backendPort: 8091 });
    expect(refused(await edge(`PATCH ${path}`, { pathLocation: '/login' }))).toEqual(notYours);
    expect((await edge(`PATCH ${path}`, { domain: null })).status).toBe(200);
    expect(refused(await edge(`PATCH ${path}`, { domain: 'app.example.test' }))).toEqual(notYours);
  });

  it('cannot open what visitors of someone else’s domain must sign in for', async () => {
    await domain('members.example.test', { authentication: true });
    await admin(`PATCH /api/services/${ids.edgeId}/http/${ids.wikiId}`, {
      domain: 'members.example.test',
      requireAuth: true,
    });
    const path = `/api/cli/services/http/${ids.wikiId}` as const;
    for (const body of [{ requireAuth: false }, { requireAuth: null }, { skipAuthRoutes: '/' }]) {
      expect(refused(await edge(`PATCH ${path}`, body))).toEqual(notYours);
    }
    expect(refused(await expose(edge, 'Wiki', { domain: 'members.example.test', requireAuth: false }))).toEqual({
      status: 422,
      problems: { domain: NOT_YOURS },
    });
    expect((await edge(`PATCH ${path}`, { requireAuth: true, backendPort: 81 })).status).toBe(200);
  });

  it('cannot prepare an opening before it turns the sign-in on', async () => {
    await domain('members.example.test', { authentication: true });
    const path = `/api/cli/services/http/${ids.wikiId}` as const;
    const byAdmin = (more: object) => admin(`PATCH /api/services/${ids.edgeId}/http/${ids.wikiId}`, more);
    await byAdmin({ domain: 'members.example.test', pathLocation: '/WIKI/Team' });
    expect(refused(await edge(`PATCH ${path}`, { skipAuthRoutes: '^/' }))).toEqual(notYours);
    await byAdmin({ skipAuthRoutes: '^/' });
    expect(refused(await edge(`PATCH ${path}`, { requireAuth: true }))).toEqual(notYours);
  });
});

describe('a domain', () => {
  it('is the node’s no more once another has a service there, or its visitors sign in', async () => {
    await expose(edge, 'web', { domain: 'web.example.test' });
    const row = await domainNamed('web.example.test');
    await admin(`PATCH /api/domains/${row?.id ?? 0}`, { authentication: true });
    expect(refused(await expose(edge, 'x', { domain: 'web.example.test', pathLocation: '/x' }))).toEqual(notYours);
    await admin(`PATCH /api/domains/${row?.id ?? 0}`, { authentication: false });
    expect((await expose(edge, 'x', { domain: 'web.example.test', pathLocation: '/x' })).status).toBe(200);
    await admin('POST /api/services/1/http', {
      name: 'Mine',
      domain: 'web.example.test',
      pathLocation: '/mine',
      backendHost: '127.0.0.1',
    });
    expect(refused(await expose(edge, 'y', { domain: 'web.example.test', pathLocation: '/y' }))).toEqual(notYours);
  });

  it('is the administrator’s when he says so, whatever brought it', async () => {
    await expose(edge, 'web', { domain: 'web.example.test' });
    const row = await domainNamed('web.example.test');
    expect(row).toMatchObject({ reserved: false, allowedNodes: null });
    await admin(`PATCH /api/domains/${row?.id ?? 0}`, { reserved: true });
    expect(refused(await expose(edge, 'x', { domain: 'web.example.test', pathLocation: '/x' }))).toEqual(notYours);
    expect((await edge(`PATCH /api/cli/services/http/1`, {})).status).toBe(404);
  });

  it('is the administrator’s when it came with a service of the gateway’s own machine', async () => {
    const made = await admin('POST /api/services/1/http', {
      name: 'Mine',
      domain: 'mine.example.test',
      backendHost: '127.0.0.1',
    });
    await admin(`DELETE /api/services/1/http/${Number(made.body['id'])}`);
    expect(refused(await expose(edge, 'x', { domain: 'mine.example.test' }))).toEqual(notYours);
  });

  it('stays the administrator’s when the console has left it, also where a node brought it', async () => {
    const made = await exposeTcp(edge, 'web', { domain: 'web.example.test' });
    await admin(`DELETE /api/services/${ids.edgeId}/tcp/${Number(made.body['id'])}`);
    const [builtin] = await gateway.store.httpServices.all({ builtin: true });
    const console = `PATCH /api/services/1/http/${Number(builtin?.id)}` as const;
    for (const name of ['web.example.test', null]) expect((await admin(console, { domain: name })).status).toBe(200);
    expect(refused(await expose(edge, 'web', { domain: 'web.example.test' }))).toEqual(notYours);
  });

  it('that came with a service of a node is free for others when nothing is on it any more', async () => {
    const made = await admin(`POST /api/services/${ids.edgeId}/http`, { name: 'x', domain: 'web.example.test' });
    expect(refused(await expose(site, 'x', { domain: 'web.example.test' }))).toEqual(notYours);
    await admin(`DELETE /api/services/${ids.edgeId}/http/${Number(made.body['id'])}`);
    expect((await expose(site, 'x', { domain: 'web.example.test' })).status).toBe(200);
  });

  it('that a token brought goes when its last service leaves, unless the administrator had a hand in it', async () => {
    for (const name of ['one', 'two', 'three']) {
      const reply = await expose(edge, 'roaming', { domain: `${name}.example.test` });
      expect(reply.body).toMatchObject({ domainCreated: true });
    }
    expect(await gateway.store.domains.all()).toMatchObject([
      { domain: 'app.example.test' },
      { domain: 'three.example.test' },
    ]);
    const row = await domainNamed('three.example.test');
    await admin(`PATCH /api/domains/${row?.id ?? 0}`, { reserved: true });
    await expose(edge, 'roaming', { domain: 'four.example.test' });
    expect(await domainNamed('three.example.test')).toBeDefined();
  });

  it.each(['added', 'saved'])('that the administrator %s stays when a token’s last service leaves it', async (how) => {
    if (how === 'added') await domain('open.example.test', { reserved: false, hsts: false });
    await expose(edge, 'roaming', { domain: 'open.example.test' });
    const row = await domainNamed('open.example.test');
    if (how === 'saved') await admin(`PATCH /api/domains/${row?.id ?? 0}`, { hsts: false });
    await expose(edge, 'roaming', { domain: 'next.example.test' });
    expect(await domainNamed('open.example.test')).toMatchObject({ id: row?.id, hsts: false });
    expect((await expose(site, 'x', { domain: 'open.example.test' })).status).toBe(200);
    expect((await admin(`GET /api/domains/${row?.id ?? 0}`)).body).not.toHaveProperty('cameWithService');
  });

  it('belongs to one of two tokens that want it at the same moment', async () => {
    const replies = await Promise.all(
      [edge, site].map((api) => expose(api, 'race', { domain: 'race.example.test', pathLocation: `/${api === edge}` })),
    );
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 422]);
  });

  it('forgets that a node may use it when the node is deleted', async () => {
    await admin(`PATCH /api/domains/${ids.domainId}`, { allowedNodes: [ids.edgeId, ids.siteId] });
    await admin(`DELETE /api/nodes/${ids.edgeId}`);
    expect((await admin(`GET /api/domains/${ids.domainId}`)).body).toMatchObject({ allowedNodes: [ids.siteId] });
    await admin(`DELETE /api/nodes/${ids.siteId}`);
    expect((await admin(`GET /api/domains/${ids.domainId}`)).body).toMatchObject({ allowedNodes: null });
  });

  it.each<[string, (id: number) => unknown]>([
    ['nginx refuses', () => gateway.system.ingress.rejectWhen(refuses('listed.example.test'))],
    ['is damaged', (id) => gateway.store.write((tx) => tx.domains.update(id, { domain: 'no name;' }))],
  ])('lets a node be deleted that is listed by a domain that %s', async (_, harm) => {
    const id = await domain('listed.example.test', { allowedNodes: [ids.edgeId] });
    await harm(id);
    expect((await admin(`DELETE /api/nodes/${ids.edgeId}`)).status).toBe(200);
    expect(await gateway.store.nodes.get(ids.edgeId)).toBeNull();
    expect(await gateway.store.domains.get(id)).toMatchObject({ allowedNodes: null });
  });

  it('takes only nodes that are there, and not the local one', async () => {
    for (const id of [4711, 1]) {
      const reply = await admin(`PATCH /api/domains/${ids.domainId}`, { allowedNodes: [id] });
      expect(Object.keys(problemsIn(reply))).toEqual(['allowedNodes.0']);
    }
    expect((await admin('POST /api/domains', { domain: 'n.example.test', allowedNodes: [4711] })).status).toBe(422);
  });
});
