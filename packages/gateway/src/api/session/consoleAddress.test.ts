import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestGateway, TEST_ADMIN, TEST_URL, type TestGateway } from '../../testing.ts';
import { createProofKey } from '../../testing/proofKey.ts';
import { type TestApi, testApi } from '../../testing/testApi.ts';

// What browsers and programs keep for the console's address, and what a page of a node leaves there, is of use to no one else.

let gateway: TestGateway;
let admin: TestApi;
let ids: Awaited<ReturnType<TestGateway['seed']>>;
let builtin: `/api/services/1/http/${number}`;

beforeEach(async () => {
  gateway = await createTestGateway();
  ids = await gateway.seed();
  admin = testApi(gateway, await gateway.signIn());
  const [row] = await gateway.store.httpServices.all({ builtin: true });
  builtin = `/api/services/1/http/${Number(row?.id)}`;
});
afterEach(() => gateway.stop());

const putOn = (domain: string | null) => admin(`PATCH ${builtin}`, { domain });

describe('the session of a browser', () => {
  let ask: () => Promise<{ status: number; message?: string }>;

  beforeEach(async () => {
    await putOn('console.example.test');
    const key = createProofKey(gateway.clock.now);
    const login = await testApi(gateway, null)('POST /api/auth/login', { ...TEST_ADMIN, publicKey: key.publicKey });
    const token = String(login.body['token']);
    ask = async () => {
      const url = `${TEST_URL}/api/auth/me`;
      const dpop = key.proof('GET', url, token);
      const { status, body } = await testApi(gateway, token)('GET /api/auth/me', undefined, { dpop });
      return { status, ...(status !== 200 && { message: String(body['message']) }) };
    };
    expect(await ask()).toEqual({ status: 200 });
  });

  const ended = { status: 401, message: 'The console has another address by now. Sign in again.' };

  it.each([null, 'other.example.test'])('ends when the console leaves its domain for %s', async (next) => {
    expect((await putOn(next)).status).toBe(200);
    expect(await ask()).toEqual(ended);
  });

  it('ends when its domain is deleted', async () => {
    const [domain] = await gateway.store.domains.all({ domain: 'console.example.test' });
    await admin(`DELETE /api/domains/${Number(domain?.id)}`);
    expect(await ask()).toEqual(ended);
  });

  it('goes on while the console stays where it is, as those of programs do anyway', async () => {
    await admin(`PATCH ${builtin}`, { name: 'Console', domain: 'console.example.test' });
    await admin(`DELETE /api/domains/${ids.domainId}`);
    expect(await ask()).toEqual({ status: 200 });
    await putOn(null);
    expect((await admin('GET /api/auth/me')).status).toBe(200);
  });
});

describe('a name that the console had', () => {
  it('is none for the token of a node any more, also when its domain was deleted', async () => {
    await putOn('console.example.test');
    const [domain] = await gateway.store.domains.all({ domain: 'console.example.test' });
    await admin(`DELETE /api/domains/${Number(domain?.id)}`);
    const { body } = await admin(`POST /api/nodes/${ids.edgeId}/pats`, { name: 'token' });
    const edge = testApi(gateway, String(body['token']));
    const expose = () => edge('POST /api/cli/expose/http', { name: 'web', domain: 'console.example.test' });
    expect((await expose()).status).toBe(422);
    await admin('POST /api/domains', { domain: 'console.example.test', skipValidation: true, reserved: false });
    expect((await expose()).status).toBe(422);
  });

  it('is none for a node, also when the administrator says so, and stays one for the gateway’s own machine', async () => {
    for (const domain of ['console.example.test', null]) await putOn(domain);
    const service = { name: 'web', domain: 'console.example.test' };
    for (const kind of ['http', 'tcp'] as const) {
      const { status, body } = await admin(`POST /api/services/${ids.edgeId}/${kind}`, { ...service, backendPort: 22 });
      expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining('The console had this name')]);
    }
    const own = { ...service, backendHost: '127.0.0.1' };
    expect((await admin('POST /api/services/1/http', own)).status).toBe(200);
  });
});

describe('a name that a node had', () => {
  const problemOf = async (domain: string) => {
    const { body } = await putOn(domain);
    const { errors } = body as { errors?: { body: { field: string; message: string }[] } };
    return errors?.body.map(({ field, message }) => `${field}: ${message}`).join() ?? null;
  };

  const expose = async (more: object) =>
    (await admin(`POST /api/services/${ids.edgeId}/http`, { name: 'web', pathLocation: '/web', ...more })).body;

  it('is none for the console any more, also when its domain was deleted meanwhile', async () => {
    const { id } = await expose({ domain: 'web.example.test' });
    await admin(`DELETE /api/services/${ids.edgeId}/http/${Number(id)}`);
    expect(await problemOf('web.example.test')).toEqual(
      expect.stringContaining('A node had a website under this name'),
    );
    const [domain] = await gateway.store.domains.all({ domain: 'web.example.test' });
    await admin(`DELETE /api/domains/${Number(domain?.id)}`);
    await admin('POST /api/domains', { domain: 'web.example.test', skipValidation: true, reserved: true });
    expect(await problemOf('web.example.test')).toEqual(
      expect.stringContaining('A node had a website under this name'),
    );
  });

  it('is the one of the machine, too, by which services without a domain are reached', async () => {
    expect(await problemOf('machine.example.test')).not.toBeNull();
  });

  it('is none that only the gateway’s own machine had', async () => {
    await admin(`DELETE /api/services/1/http/${ids.appId}`);
    expect(await problemOf('app.example.test')).toBeNull();
  });
});
