import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestGateway, type TestGateway } from '../../testing.ts';
import { asNode, problemsIn, type TestApi, testApi } from '../../testing/testApi.ts';

// The name by which services without a domain are reached is no domain.

const OWN_NAMES = ['vpn.example.test', 'VPN.Example.Test', 'sub.localhost', 'localhost.localdomain'];

let gateway: TestGateway;
let admin: TestApi;
let edge: TestApi;
let ids: Awaited<ReturnType<TestGateway['seed']>>;

beforeEach(async () => {
  gateway = await createTestGateway();
  ids = await gateway.seed();
  admin = testApi(gateway, await gateway.signIn());
  edge = await asNode(gateway, admin, ids.edgeId);
});
afterEach(async () => {
  expect(gateway.errors).toEqual([]);
  await gateway.stop();
});

const LOCAL = { backendHost: '127.0.0.1', backendPort: 8080 };

describe.each(OWN_NAMES)('%s, a name of the gateway itself', (domain) => {
  it('means no domain for a service, and the answer says so', async () => {
    const http = await admin('POST /api/services/1/http', { name: 'a', domain, pathLocation: '/a', ...LOCAL });
    expect(http).toMatchObject({ status: 200, body: { domain: null, domainCreated: false, domainIsOwnName: true } });
    const tcp = await admin('POST /api/services/1/tcp', { name: 'b', domain, ...LOCAL });
    expect(tcp).toMatchObject({ status: 200, body: { domain: null, domainIsOwnName: true } });
    const moved = await admin(`PATCH /api/services/1/http/${ids.appId}`, { domain, pathLocation: '/app' });
    expect(moved).toMatchObject({ status: 200, body: { domain: null, domainIsOwnName: true } });
    expect((await admin(`PATCH /api/services/1/http/${ids.appId}`, { name: 'x' })).body).toMatchObject({
      domainIsOwnName: false,
    });
    expect(await gateway.store.domains.all()).toHaveLength(1);
  });

  it('means no domain for a token either', async () => {
    const body = { name: 'web', domain, pathLocation: '/web' };
    for (const _ of ['new', 'again']) {
      expect((await edge('POST /api/cli/expose/http', body)).body).toMatchObject({
        domain: null,
        domainIsOwnName: true,
      });
    }
    expect((await edge(`PATCH /api/cli/services/http/${ids.wikiId}`, { domain })).body).toMatchObject({
      domain: null,
      pathLocation: '/wiki',
    });
  });

  it('cannot be added as a domain', async () => {
    const reply = await admin('POST /api/domains', { domain, skipValidation: true });
    expect(problemsIn(reply)).toEqual({
      domain:
        "This is a name of the gateway itself, and no domain: services without a domain are reached by the gateway's own name",
    });
  });
});

describe('a row of an older gateway that has such a domain', () => {
  const older = () =>
    gateway.store.write(async (tx) => {
      await tx.domains.create({
        domain: 'vpn.example.test',
        ssl: 'self-signed',
        skipValidation: true,
        authentication: false,
        allowedEmails: null,
        hsts: false,
        reserved: true,
        allowedNodes: null,
      });
      return tx.httpServices.update(ids.appId, { domain: 'vpn.example.test' });
    });

  it('is repaired by any change of its service', async () => {
    await older();
    expect((await admin(`PATCH /api/services/1/http/${ids.appId}`, { name: 'x' })).body).toMatchObject({
      domain: null,
      domainIsOwnName: true,
    });
  });
});
