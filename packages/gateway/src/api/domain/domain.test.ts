import { describe, expect, it } from 'vitest';
import { PUBLIC_ADDRESS } from '../../testing/fakeSystem.ts';
import { asNode, problemsIn, seedEachTest, type SeededGateway } from '../../testing/testApi.ts';

let { gateway, admin, ids }: SeededGateway = {} as never;
seedEachTest((seeded) => ({ gateway, admin, ids } = seeded));

describe('a new domain', () => {
  it('is self-signed unless it says otherwise, and kept in lower case', async () => {
    const { status, body } = await admin('POST /api/domains', { domain: 'New.Example.Test', ssl: null });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      domain: 'new.example.test',
      ssl: 'self-signed',
      authentication: false,
      allowedEmails: null,
      publicAccess: 'https://new.example.test/',
    });
  });

  it('must point here, unless that is not asked', async () => {
    gateway.system.nameServers.answer(() => ({ a: ['198.51.100.9'] }));
    const reply = await admin('POST /api/domains', { domain: 'new.example.test' });
    expect(problemsIn(reply)).toEqual({
      domain: expect.stringMatching(
        /^Domain verification failed\. The domain does not point to Sallyport host\. .*198\.51\.100\.9, not to this gateway \(203\.0\.113\.1\)/,
      ),
    });
    expect((await admin('POST /api/domains', { domain: 'new.example.test', skipValidation: true })).status).toBe(200);
  });

  it.each([
    [{ a: ['127.0.0.1'] }, 200],
    [{ a: [PUBLIC_ADDRESS, '198.51.100.9'] }, 200],
    [{ a: [] }, 422],
    [{ failure: 'ETIMEOUT' }, 422],
  ])('that leads to %j is answered with %s', async (answer, status) => {
    gateway.system.nameServers.answer(() => answer);
    expect((await admin('POST /api/domains', { domain: 'new.example.test' })).status).toBe(status);
  });

  it('that the name servers say nothing about is not told that it leads elsewhere', async () => {
    gateway.system.nameServers.answer(() => ({ failure: 'ETIMEOUT' }));
    expect(problemsIn(await admin('POST /api/domains', { domain: 'new.example.test' }))).toEqual({
      domain:
        'Domain verification failed. The name servers (192.0.2.53) did not answer in time. Try again, or skip the validation.',
    });
  });

  it('is refused when it is known, also from two at once', async () => {
    const taken = { domain: 'Record already exists with the same value in domain' };
    expect(problemsIn(await admin('POST /api/domains', { domain: 'app.example.test' }))).toEqual(taken);
    const both = await Promise.all([1, 2].map(() => admin('POST /api/domains', { domain: 'new.example.test' })));
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 422]));
  });

  it('whose certificate is there already need not point here yet', async () => {
    gateway.world.setCertificateIssuer({ available: true });
    gateway.system.nameServers.answer(() => ({ a: ['198.51.100.9'] }));
    await gateway.system.issuer.issue('moved.example.test', new AbortController().signal);
    const create = (domain: string) => admin('POST /api/domains', { domain, ssl: 'certbot' });
    expect(await create('moved.example.test')).toMatchObject({ status: 200, body: { ssl: 'certbot' } });
    expect(Object.keys(problemsIn(await create('other.example.test')))).toEqual(['domain']);
  });

  it('gets no certificate and no sign-in where there is none, with the reason', async () => {
    const certificate = await admin('POST /api/domains', { domain: 'new.example.test', ssl: 'certbot' });
    expect(problemsIn(certificate)).toEqual({ ssl: 'There is no certificate authority. Choose a self-signed one.' });
    const signIn = await admin('POST /api/domains', { domain: 'new.example.test', authentication: true });
    expect(signIn.status).toBe(400);
    expect(String(signIn.body['message'])).toMatch(
      /^OAuth2 authentication cannot be enabled\. No identity provider is set up\. Enter one under Settings .* SALLYPORT_OIDC_ISSUER/,
    );
  });
});

describe('a change', () => {
  it('cannot rename it', async () => {
    const reply = await admin(`PATCH /api/domains/${ids.domainId}`, { domain: 'other.example.test' });
    expect(problemsIn(reply)).toEqual({
      domain: "Domain names can't be changed. Add a new one and delete this one instead.",
    });
    expect((await admin(`PATCH /api/domains/${ids.domainId}`, { domain: 'APP.example.test' })).status).toBe(200);
  });

  it('asks whether it points here when validation is switched on', async () => {
    gateway.system.nameServers.answer(() => ({ a: ['198.51.100.9'] }));
    gateway.clock.advance(2000);
    const reply = await admin(`PATCH /api/domains/${ids.domainId}`, { skipValidation: false });
    expect(Object.keys(problemsIn(reply))).toEqual(['domain']);
  });

  it('to a certificate turns validation on again, with its check, unless it says otherwise', async () => {
    gateway.world.setCertificateIssuer({ available: true });
    const domain = `/api/domains/${ids.domainId}` as const;
    expect((await admin(`PATCH ${domain}`, { skipValidation: true })).body).toMatchObject({ skipValidation: true });
    expect(problemsIn(await admin(`PATCH ${domain}`, { ssl: 'certbot', skipValidation: true }))).toEqual({
      ssl: 'This field must be [self-signed]',
    });
    gateway.clock.advance(2000);
    gateway.system.nameServers.answer(() => ({ a: ['198.51.100.9'] }));
    expect(Object.keys(problemsIn(await admin(`PATCH ${domain}`, { ssl: 'certbot' })))).toEqual(['domain']);
    gateway.clock.advance(2000);
    gateway.system.nameServers.answer(() => ({ a: [PUBLIC_ADDRESS] }));
    expect((await admin(`PATCH ${domain}`, { ssl: 'certbot' })).body).toMatchObject({
      ssl: 'certbot',
      skipValidation: false,
    });
  });

  it('gives no sign-in to a domain whose TCP services have its certificate', async () => {
    gateway.world.setSignIn({ available: true });
    const tcp = { domain: 'app.example.test', backendHost: '127.0.0.1', backendPort: 1883 };
    const { body } = await admin('POST /api/services/1/tcp', { ...tcp, name: 'Broker', ssl: true });
    await admin('POST /api/services/1/tcp', { ...tcp, name: 'Plain' });
    const reply = await admin(`PATCH /api/domains/${ids.domainId}`, { authentication: true });
    expect([reply.status, problemsIn(reply)]).toEqual([
      422,
      { authentication: expect.stringMatching(/TCP services with TLS, too: Broker\. Turn TLS off there/) },
    ]);
    await admin(`PATCH /api/services/1/tcp/${String(body['id'])}` as never, { ssl: false });
    expect((await admin(`PATCH /api/domains/${ids.domainId}`, { authentication: true })).status).toBe(200);
  });

  it('keeps services protected when sign-in is switched off, unless it publishes them', async () => {
    gateway.world.setSignIn({ available: true });
    const domain = `/api/domains/${ids.domainId}` as const;
    await admin(`PATCH ${domain}`, { authentication: true, allowedEmails: ['a@example.test'] });
    const service = `/api/services/1/http/${ids.appId}` as const;
    expect((await admin(`PATCH ${service}`, { requireAuth: true })).status).toBe(200);
    expect((await admin(`PATCH ${domain}`, { authentication: false })).body).toMatchObject({ allowedEmails: null });
    const kept = (await admin(`GET ${service}`)).body;
    expect(kept).toMatchObject({ requireAuth: true });
    expect(kept['problem']).not.toBeNull();
    // Its other fields can still be changed.
    expect((await admin(`PATCH ${service}`, { name: 'Kept' })).status).toBe(200);
    await admin(`PATCH ${domain}`, { authentication: false, publish: true });
    expect((await admin(`GET ${service}`)).body).toMatchObject({ requireAuth: false, problem: null });
  });
});

describe('its DNS', () => {
  const dns = () => admin(`GET /api/domains/${ids.domainId}/dns`);

  it('is looked up for an administrator, who is told what to enter', async () => {
    gateway.clock.advance(2000);
    gateway.system.nameServers.answer(() => ({ cnames: ['old.example.test'] }));
    expect((await dns()).body).toEqual({
      domain: 'app.example.test',
      state: 'not-found',
      text: expect.stringContaining(`It should lead to ${PUBLIC_ADDRESS}.`),
      checkedAt: gateway.clock.now().toISOString(),
      nameServers: ['192.0.2.53'],
      cnames: ['old.example.test'],
      a: [],
      aaaa: [],
      isPrivate: false,
      expectedHost: 'vpn.example.test',
      expected: [PUBLIC_ADDRESS],
      records: [
        { type: 'CNAME', name: 'app.example.test', value: 'vpn.example.test' },
        { type: 'A', name: 'app.example.test', value: PUBLIC_ADDRESS },
      ],
    });
  });

  it('is said by the list as it was found last, without a look-up for each list', async () => {
    let asked = 0;
    gateway.system.nameServers.answer(() => {
      asked += 1;
      return { a: ['198.51.100.9'] };
    });
    gateway.clock.advance(2000);
    await dns();
    const checkedAt = gateway.clock.now().toISOString();
    gateway.clock.advance(60_000);
    for (let times = 0; times < 5; times += 1) {
      const { body } = await admin('GET /api/domains?limit=10');
      expect(body['data']).toMatchObject([{ dnsState: 'elsewhere', dnsCheckedAt: checkedAt }]);
    }
    expect(asked).toBe(1);
  });

  it('is looked up for no other name, and for no node', async () => {
    let asked = 0;
    gateway.system.nameServers.answer(() => {
      asked += 1;
      return {};
    });
    gateway.clock.advance(2000);
    expect((await admin('GET /api/domains/99/dns')).status).toBe(404);
    const edge = await asNode(gateway, admin, ids.edgeId);
    expect((await edge(`GET /api/domains/${ids.domainId}/dns`)).status).toBe(403);
    expect((await gateway.fetch(`/api/domains/${ids.domainId}/dns`)).status).toBe(401);
    expect(asked).toBe(0);
  });
});

describe('deleting', () => {
  it('takes its services with it, and says which', async () => {
    const rest = { domain: 'app.example.test', backendHost: '127.0.0.1' };
    expect((await admin('POST /api/services/1/http', { ...rest, name: 'Blog', pathLocation: '/blog' })).status).toBe(
      200,
    );
    expect((await admin(`DELETE /api/domains/${ids.domainId}`)).body).toBe('Deleted! With it went: App, Blog.');
    expect((await admin(`GET /api/services/1/http/${ids.appId}`)).status).toBe(404);
    expect((await admin(`GET /api/services/${ids.edgeId}/http/${ids.wikiId}`)).status).toBe(200);
  });

  it('names no more of them than one can take in', async () => {
    for (const name of 'abcdef') {
      await admin('POST /api/services/1/http', {
        name: name.repeat(200),
        domain: 'app.example.test',
        pathLocation: `/${name}`,
        backendHost: '127.0.0.1',
      });
    }
    const { body } = await admin(`DELETE /api/domains/${ids.domainId}`);
    expect(body).toEqual(expect.stringMatching(/^Deleted! With it went: App, a{200}, .*d{200} and 2 more\.$/));
  });

  it('says no more when nothing went with it', async () => {
    const { body } = await admin('POST /api/domains', { domain: 'bare.example.test' });
    expect((await admin(`DELETE /api/domains/${String(body['id'])}` as `DELETE /${string}`)).body).toBe('Deleted!');
  });
});

const LOCAL = { backendHost: '127.0.0.1', backendPort: 8080 };

// The name by which services without a domain are reached is no domain.
describe.each(['vpn.example.test', 'VPN.Example.Test', 'sub.localhost', 'localhost.localdomain'])(
  '%s, a name of the gateway itself',
  (domain) => {
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
      const edge = await asNode(gateway, admin, ids.edgeId);
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
  },
);

it('is repaired in a row of an older gateway by any change of its service', async () => {
  await admin('POST /api/domains', { domain: 'old.example.test', skipValidation: true });
  await gateway.store.write(async (tx) => {
    const [row] = await tx.domains.all({ domain: 'old.example.test' });
    await tx.domains.update(row?.id ?? 0, { domain: 'vpn.example.test' });
    await tx.httpServices.update(ids.appId, { domain: 'vpn.example.test' });
  });
  expect((await admin(`PATCH /api/services/1/http/${ids.appId}`, { name: 'x' })).body).toMatchObject({
    domain: null,
    domainIsOwnName: true,
  });
});
