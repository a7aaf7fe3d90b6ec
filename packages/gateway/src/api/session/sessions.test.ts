import { describe, expect, it } from 'vitest';
import { createTestGateway, TEST_ADMIN, TEST_URL } from '../../testing.ts';
import { createProofKey } from '../../testing/proofKey.ts';
import { problemsIn, seedEachTest, type SeededGateway, type TestApi, testApi } from '../../testing/testApi.ts';

// Which sessions there are, how they are ended, and the password that they begin with.

let { gateway, admin }: SeededGateway = {} as never;
seedEachTest((seeded) => ({ gateway, admin } = seeded));

type Session = { id: number; isOwn: boolean; isBrowser: boolean; address: string; lastUsedAt: string };
const sessionsOf = async (api: TestApi) => (await api('GET /api/sessions')).body as unknown as Session[];
const another = async () => testApi(gateway, await gateway.signIn());
const statusOf = async (api: TestApi) => (await api('GET /api/auth/me')).status;

/** Signs in through nginx, from the address that it names. */
async function signInFrom(address: string, more: object = {}): Promise<string> {
  const request = new Request(`${TEST_URL}/api/auth/login`, {
    method: 'POST',
    headers: { 'x-real-ip': address, 'x-forwarded-proto': 'https' },
    body: JSON.stringify({ ...TEST_ADMIN, ...more }),
  });
  const response = await gateway.fetch(request, { address: '127.0.0.1', trusted: true });
  return ((await response.json()) as { token: string }).token;
}

describe('the sessions', () => {
  it('are listed, the newest first, without anything of their tokens', async () => {
    const token = await signInFrom('198.51.100.7');
    const [newest, ...others] = await sessionsOf(admin);
    expect(newest).toEqual({
      id: expect.any(Number),
      created_at: gateway.clock.now().toISOString(),
      lastUsedAt: gateway.clock.now().toISOString(),
      expiresAt: expect.any(String),
      address: '198.51.100.7',
      isBrowser: false,
      isOwn: false,
    });
    expect(others.filter(({ isOwn }) => isOwn)).toHaveLength(1);
    expect(JSON.stringify(await sessionsOf(admin))).not.toContain(token);
  });

  it('tell when and from where they were last used', async () => {
    const token = await signInFrom('198.51.100.7');
    gateway.clock.advance(120_000);
    const request = new Request(`${TEST_URL}/api/auth/me`, {
      headers: { authorization: `Bearer ${token}`, 'x-real-ip': '203.0.113.9' },
    });
    await gateway.fetch(request, { address: '127.0.0.1', trusted: true });
    const [newest] = await sessionsOf(admin);
    expect(newest).toMatchObject({ address: '203.0.113.9', lastUsedAt: gateway.clock.now().toISOString() });
  });

  it('are not said to be used by a token alone where they need a key', async () => {
    const { publicKey } = createProofKey(gateway.clock.now);
    const token = await signInFrom('198.51.100.7', { publicKey });
    gateway.clock.advance(120_000);
    expect(await statusOf(testApi(gateway, token))).toBe(401);
    const [newest] = await sessionsOf(admin);
    expect(newest).toMatchObject({ address: '198.51.100.7', isBrowser: true });
  });

  it('are ended one by one', async () => {
    const other = await another();
    const [newest] = await sessionsOf(admin);
    expect((await admin(`DELETE /api/sessions/${Number(newest?.id)}`)).status).toBe(200);
    expect([await statusOf(other), await statusOf(admin)]).toEqual([401, 200]);
    expect((await admin(`DELETE /api/sessions/${Number(newest?.id)}`)).status).toBe(404);
  });

  it('are ended all at once, but for the own one', async () => {
    const [one, two] = [await another(), await another()];
    await admin('DELETE /api/sessions');
    expect([await statusOf(one), await statusOf(two), await statusOf(admin)]).toEqual([401, 401, 200]);
    expect(await sessionsOf(admin)).toMatchObject([{ isOwn: true }]);
  });
});

describe('the password', () => {
  const change = (currentPassword: string, newPassword = 'battery staple') =>
    admin('POST /api/auth/password', { currentPassword, newPassword });
  const signIn = async (password: string) =>
    (await testApi(gateway, null)('POST /api/auth/login', { username: TEST_ADMIN.username, password })).status;

  it('is changed, which ends all other sessions and no API token', async () => {
    const other = await another();
    const { body } = await admin('POST /api/tokens', { name: 'ci', scope: ['nodes:read'] });
    expect((await change(TEST_ADMIN.password)).status).toBe(200);
    expect(await statusOf(admin)).toBe(200);
    expect(await other('GET /api/auth/me')).toMatchObject({
      status: 401,
      body: { message: 'The password was changed. Sign in again.' },
    });
    expect((await testApi(gateway, String(body['token']))('GET /api/nodes')).status).toBe(200);
    expect([await signIn(TEST_ADMIN.password), await signIn('battery staple')]).toEqual([401, 200]);
  });

  it('is not changed by a session alone, nor guessed with one', async () => {
    const wrong = await change('wrong');
    expect([wrong.status, problemsIn(wrong)]).toEqual([422, { currentPassword: 'This is not the password' }]);
    for (let count = 0; count < 4; count += 1) await change('wrong');
    // The right one is not told from a wrong one any more, and the session goes on.
    expect(await change(TEST_ADMIN.password)).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/^Too many wrong passwords/) },
    });
    expect(await statusOf(admin)).toBe(200);
    gateway.clock.advance(600_000);
    expect(await signIn(TEST_ADMIN.password)).toBe(200);
  });

  it('is not changed to a short one', async () => {
    const reply = await change(TEST_ADMIN.password, 'short');
    expect(problemsIn(reply)).toEqual({ newPassword: 'This field must be at least 8 characters long' });
  });

  it('leaves no hash of what was sent, with a key for a repeated request or without', async () => {
    const body = { currentPassword: TEST_ADMIN.password, newPassword: 'battery staple' };
    await admin('POST /api/auth/password', body, { 'idempotency-key': 'key-1' });
    // Kept with the key, a fast hash of the request would let passwords be tried out by anyone who reads the disk.
    const again = await admin('POST /api/auth/password', body, { 'idempotency-key': 'key-1' });
    expect(again.status).toBe(422);
  });

  it('is refused with the reason where the settings say it', async () => {
    expect((await admin('GET /api/auth/password')).body).toEqual({ problem: null });
    const set = await createTestGateway({ isPasswordSet: true });
    const api = testApi(set, await set.signIn());
    const { body } = await api('GET /api/auth/password');
    expect(body['problem']).toContain('SALLYPORT_ADMIN_PASSWORD');
    const refused = await api('POST /api/auth/password', {
      currentPassword: TEST_ADMIN.password,
      newPassword: 'battery staple',
    });
    expect([refused.status, refused.body['message']]).toEqual([400, body['problem']]);
    expect(await statusOf(api)).toBe(200);
    await set.stop();
  });
});
