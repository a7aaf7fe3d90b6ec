import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connection } from './request.ts';
import { createTestGateway, TEST_ADMIN, TEST_URL, type TestGateway } from '../../testing.ts';
import { createProofKey } from '../../testing/proofKey.ts';
import { testApi } from '../../testing/testApi.ts';

// A token that was issued to a key is of use to no one who does not have the key.

let gateway: TestGateway;
let key: ReturnType<typeof createProofKey>;
let token: string;

const ME = `${TEST_URL}/api/auth/me`;

beforeEach(async () => {
  gateway = await createTestGateway();
  key = createProofKey(gateway.clock.now);
  const reply = await testApi(gateway, null)('POST /api/auth/login', { ...TEST_ADMIN, publicKey: key.publicKey });
  expect(reply.status).toBe(200);
  token = String(reply.body['token']);
});
afterEach(() => gateway.stop());

type Sent = { token?: string | null; dpop?: string; headers?: Record<string, string>; connection?: Connection };

function send(method: string, url: string, sent: Sent = {}): Promise<Response> {
  const bearer = sent.token === undefined ? token : sent.token;
  const headers = {
    ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
    ...(sent.dpop !== undefined && { dpop: sent.dpop }),
    ...sent.headers,
  };
  return gateway.fetch(new Request(url, { method, headers }), sent.connection);
}

async function me(dpop: string): Promise<number> {
  return (await send('GET', ME, { dpop })).status;
}

describe('a token with a key', () => {
  it('works with a proof for each request', async () => {
    for (const _ of [1, 2]) expect(await me(key.proof('GET', ME, token))).toBe(200);
    const nodes = `${TEST_URL}/api/nodes`;
    expect((await send('GET', `${nodes}?limit=1`, { dpop: key.proof('GET', nodes, token) })).status).toBe(200);
    expect((await send('HEAD', nodes, { dpop: key.proof('HEAD', nodes, token) })).status).toBe(200);
  });

  it('is refused without one, and says how', async () => {
    const bare = await send('GET', ME);
    expect(bare.status).toBe(401);
    expect(bare.headers.get('www-authenticate')).toBe('DPoP error="invalid_dpop_proof", algs="ES256"');
    expect(await bare.json()).toMatchObject({ message: expect.stringMatching(/proof/) });
  });

  it('opens no stream and no download without one', async () => {
    const { edgeId } = await gateway.seed();
    for (const path of ['/api/nodes/stream', `/api/nodes/${edgeId}/download`]) {
      const url = TEST_URL + path;
      expect((await send('GET', url)).status).toBe(401);
      expect((await send('GET', `${url}?token=${token}`, { token: null })).status).toBe(401);
      const proved = await send('GET', url, { dpop: key.proof('GET', url, token) });
      expect(proved.status).toBe(200);
      await proved.body?.cancel();
    }
  });

  it('takes each proof once', async () => {
    const proof = key.proof('GET', ME, token);
    expect([await me(proof), await me(proof)]).toEqual([200, 401]);
    // Two numbers for one proof are one proof.
    const [one, two] = [
      key.proof('GET', ME, token, { claims: { jti: 'same' } }),
      key.proof('GET', ME, token, { claims: { jti: 'same', more: 1 } }),
    ];
    expect([await me(one), await me(two)]).toEqual([200, 401]);
  });

  it('takes the proofs of two minutes around its own clock, and forgets them no sooner', async () => {
    const early = key.proof('GET', ME, token);
    gateway.clock.advance(59_000);
    expect(await me(early)).toBe(200);
    const late = key.proof('GET', ME, token);
    gateway.clock.advance(61_000);
    expect(await me(late)).toBe(401);
    const ahead = (seconds: number) =>
      key.proof('GET', ME, token, { claims: { iat: Math.floor(gateway.clock.now().getTime() / 1000) + seconds } });
    expect(await me(ahead(61))).toBe(401);
    const far = ahead(60);
    expect(await me(far)).toBe(200);
    for (let count = 0; count < 17; count += 1) {
      gateway.clock.advance(7000);
      expect(await me(far)).toBe(401);
    }
  });

  it.each<[string, (mine: typeof key) => string]>([
    ['another method', (mine) => mine.proof('POST', ME, token)],
    ['another path', (mine) => mine.proof('GET', `${TEST_URL}/api/nodes`, token)],
    ['another host', (mine) => mine.proof('GET', 'http://evil.test/api/auth/me', token)],
    ['another scheme', (mine) => mine.proof('GET', 'https://gateway.test/api/auth/me', token)],
    ['another port', (mine) => mine.proof('GET', 'http://gateway.test:8443/api/auth/me', token)],
    ['no address', (mine) => mine.proof('GET', 'nowhere', token)],
    ['another token', (mine) => mine.proof('GET', ME, 'sps_other')],
    ['another key', () => createProofKey(gateway.clock.now).proof('GET', ME, token)],
    ['another type', (mine) => mine.proof('GET', ME, token, { header: { typ: 'JWT' } })],
    ['no algorithm', (mine) => mine.proof('GET', ME, token, { header: { alg: 'none' } })],
    ['no number', (mine) => mine.proof('GET', ME, token, { claims: { jti: undefined } })],
    ['an endless number', (mine) => mine.proof('GET', ME, token, { claims: { jti: 'x'.repeat(300) } })],
    ['no time', (mine) => mine.proof('GET', ME, token, { claims: { iat: undefined } })],
    [
      'a borrowed key',
      (mine) => createProofKey(gateway.clock.now).proof('GET', ME, token, { header: { jwk: mine.publicKey } }),
    ],
    ['no proof at all', () => 'proof'],
  ])('is refused with a proof of %s', async (_, made) => {
    expect(await me(made(key))).toBe(401);
    expect(gateway.errors).toEqual([]);
  });

  it('is refused with two proofs', async () => {
    const [one, two] = [key.proof('GET', ME, token), key.proof('GET', ME, token)];
    expect(await me(`${one}, ${two}`)).toBe(401);
  });

  it('knows behind nginx the address that the browser asked for, and believes no one else', async () => {
    const url = 'https://console.test:9443/api/auth/me';
    const inside = 'http://console/api/auth/me';
    const headers = { host: 'console.test:9443', 'x-forwarded-proto': 'https' };
    const nginx = { address: '', trusted: true };
    expect((await send('GET', inside, { dpop: key.proof('GET', url, token), headers, connection: nginx })).status).toBe(
      200,
    );
    expect(
      (await send('GET', inside, { dpop: key.proof('GET', inside, token), headers, connection: nginx })).status,
    ).toBe(401);
    const direct = { address: '127.0.0.1', trusted: false };
    expect(
      (await send('GET', inside, { dpop: key.proof('GET', url, token), headers, connection: direct })).status,
    ).toBe(401);
  });

  it('ends at sign-out, which takes a proof as well', async () => {
    const url = `${TEST_URL}/api/auth/logout`;
    expect((await send('POST', url)).status).toBe(401);
    expect(await me(key.proof('GET', ME, token))).toBe(200);
    expect((await send('POST', url, { dpop: key.proof('POST', url, token) })).status).toBe(200);
    expect(await me(key.proof('GET', ME, token))).toBe(401);
  });
});

describe('the key at sign-in', () => {
  const login = (publicKey: unknown) => testApi(gateway, null)('POST /api/auth/login', { ...TEST_ADMIN, publicKey });

  it.each<[string, () => unknown]>([
    ['with its private half', () => ({ ...key.publicKey, d: key.publicKey.x })],
    ['of another curve', () => ({ ...key.publicKey, crv: 'P-384' })],
    ['of another kind', () => generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' })],
    ['that is none', () => 'key'],
    ['that is no point of the curve', () => ({ ...key.publicKey, y: key.publicKey.x })],
  ])('is refused %s, before the password is looked at', async (_, publicKey) => {
    const { status, headers } = await login(publicKey());
    expect(status).toBe(422);
    expect(headers.get('set-cookie')).toBeNull();
  });

  it('may be left out: the token is then one for its bearer', async () => {
    const bearer = await gateway.signIn();
    expect((await send('GET', ME, { token: bearer })).status).toBe(200);
    expect((await send('GET', ME, { token: bearer, dpop: 'whatever' })).status).toBe(200);
  });
});
