import { liveSettings } from '@sallyport/sdk/contract';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { createTestGateway, type TestGateway } from '../../testing.ts';
import { problemsIn, type TestApi, testApi } from '../../testing/testApi.ts';

const SECRET = 'the-secret-of-the-console';
const PROVIDER = { issuer: 'https://id.example.test/realms/home', clientId: 'sallyport', clientSecret: SECRET };

let gateway: TestGateway;
let admin: TestApi;
const open = async (environment: Record<string, string>): Promise<void> => {
  const opened = await createTestGateway({ environment });
  onTestFinished(() => opened.stop());
  gateway = opened;
  admin = testApi(gateway, await gateway.signIn());
};
beforeEach(() => open({}));

const change = (body: object) => admin('PATCH /api/settings/identity-provider', body);
const changeAuthority = (body: object) => admin('PATCH /api/settings/certificate-authority', body);
const shown = async (names: readonly string[]) => {
  const { settings } = (await admin('GET /api/settings')).body as { settings: { name: string; value: unknown }[] };
  return Object.fromEntries(settings.filter(({ name }) => names.includes(name)).map((one) => [one.name, one]));
};
const values = async (names: readonly string[]) => Object.values(await shown(names)).map(({ value }) => value);

it('an identity provider counts at once, and its secret is only stored sealed', async () => {
  const reply = await change(PROVIDER);
  expect(reply.status).toBe(200);
  expect(JSON.stringify(reply.body)).not.toContain(SECRET);
  expect(await values(liveSettings.identityProvider)).toEqual([PROVIDER.issuer, PROVIDER.clientId, 'set']);
  expect(await shown(['SALLYPORT_OIDC_ISSUER'])).toMatchObject({
    SALLYPORT_OIDC_ISSUER: { source: 'stored', changeable: true },
  });
  const stored = await gateway.store.settings.get('identityProvider');
  expect(stored).toContain(PROVIDER.issuer);
  expect(stored).not.toContain(SECRET);
});

it('the secret stays with its provider, and goes to no other one', async () => {
  await change(PROVIDER);
  const before = await gateway.store.settings.get('identityProvider');
  const { clientSecret: _, ...unchanged } = PROVIDER;
  expect((await change(unchanged)).status).toBe(200);
  expect((await change({ clientSecret: '' })).status).toBe(200);
  expect(await values(['SALLYPORT_OIDC_CLIENT_SECRET'])).toEqual(['set']);
  for (const other of [{ issuer: 'https://evil.example.test' }, { clientId: 'other' }]) {
    const reply = await change(other);
    expect([reply.status, problemsIn(reply)]).toEqual([422, { clientSecret: 'This field is required' }]);
  }
  expect(JSON.parse((await gateway.store.settings.get('identityProvider')) ?? '')).toMatchObject({
    issuer: JSON.parse(before ?? '').issuer as string,
    clientId: PROVIDER.clientId,
  });
  expect((await change({ clientId: null })).status).toBe(422);
  expect((await change({ issuer: null })).status).toBe(200);
  expect(await values(liveSettings.identityProvider)).toEqual([null, null, null]);
});

it.each(['http://id.example.test', 'https://user:secret@id.example.test', 'ftp://127.0.0.1', 'id.example.test'])(
  'no secret is sent to %s',
  async (issuer) => {
    expect(Object.keys(problemsIn(await change({ ...PROVIDER, issuer })))).toEqual(['issuer']);
    expect(Object.keys(problemsIn(await changeAuthority({ url: issuer })))).toEqual(['url']);
  },
);

it('visitors of another provider have to sign in again, those of the same one do not', async () => {
  const { domainId } = await gateway.seed();
  const session = { domainId, email: 'ann@example.test', subject: 'ann', expiresAt: '2999-01-01T00:00:00.000Z' };
  await change(PROVIDER);
  await gateway.store.write((tx) => tx.visitorSessions.create({ ...session, tokenHash: 'ann' }));
  await change({ clientSecret: 'another' });
  await changeAuthority({ email: 'me@example.test' });
  expect(await gateway.store.visitorSessions.find('ann')).not.toBeNull();
  await change({ ...PROVIDER, issuer: 'https://other.example.test' });
  expect(await gateway.store.visitorSessions.find('ann')).toBeNull();
});

it('certificates are asked for again where the authority is another one', async () => {
  gateway.system.issuer.setAvailability({ available: true });
  gateway.world.setCertificateIssuer({ available: true });
  const { domainId } = await gateway.seed();
  const wanted = await admin(`PATCH /api/domains/${domainId}`, { ssl: 'certbot' });
  expect([wanted.status, problemsIn(wanted)]).toEqual([200, {}]);
  await expect.poll(() => gateway.system.issuer.kept()).toEqual(['app.example.test']);
  const asked = gateway.system.issuer.asked('app.example.test');
  const url = 'https://acme.example.test/other';
  gateway.system.issuer.moveTo(url);
  expect((await changeAuthority({ url, email: 'me@example.test' })).status).toBe(200);
  await expect.poll(() => gateway.system.issuer.asked('app.example.test')).toBe(asked + 1);
  expect(await values(liveSettings.certificateAuthority)).toEqual([url, 'me@example.test']);
  await changeAuthority({ url: null });
  expect(await shown(['SALLYPORT_ACME_URL', 'SALLYPORT_ACME_EMAIL'])).toMatchObject({
    SALLYPORT_ACME_URL: { source: 'default' },
    SALLYPORT_ACME_EMAIL: { source: 'stored', value: 'me@example.test' },
  });
});

it('what the environment says a part of is changed only there', async () => {
  await open({ SALLYPORT_OIDC_CLIENT_ID: 'sallyport', SALLYPORT_ACME_EMAIL: 'me@example.test' });
  for (const reply of [await change(PROVIDER), await changeAuthority({ url: null })]) {
    expect([reply.status, reply.body['message']]).toEqual([400, expect.stringContaining('SALLYPORT_')]);
  }
  expect(await gateway.store.settings.get('identityProvider')).toBeNull();
  expect(await shown(['SALLYPORT_OIDC_ISSUER', 'SALLYPORT_ACME_URL'])).toMatchObject({
    SALLYPORT_OIDC_ISSUER: { changeable: false },
    SALLYPORT_ACME_URL: { changeable: false },
  });
});
