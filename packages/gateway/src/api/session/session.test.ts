import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connection } from '../http/request.ts';
import { createTestGateway, TEST_ADMIN, TEST_URL, type TestGateway } from '../../testing.ts';
import { type TestApi, testApi } from '../../testing/testApi.ts';
import { hashOfToken } from '../authenticate.ts';
import { createLoginAttempts, createPasswords } from './password.ts';

let gateway: TestGateway;
let stranger: TestApi;

beforeEach(async () => {
  gateway = await createTestGateway();
  stranger = testApi(gateway, null);
});
afterEach(() => gateway.stop());

const WRONG = { ...TEST_ADMIN, password: 'wrong' };
const MINUTE_MS = 60_000;

describe('signing in', () => {
  it('answers a token that works, and its lifetime in both spellings', async () => {
    const { status, body, headers } = await stranger('POST /api/auth/login', TEST_ADMIN);
    expect(status).toBe(200);
    expect(body).toEqual({ token: expect.stringMatching(/^sps_[\w-]{43}$/), expires_in: 43_200, expiresIn: '12h' });
    expect(headers.get('cache-control')).toBe('no-store');
    const api = testApi(gateway, String(body['token']));
    expect((await api('GET /api/auth/me')).body).toMatchObject({ type: 'admin', name: 'admin' });
  });

  it('removes the sessions whose time is over, and no others', async () => {
    const old = await gateway.signIn();
    gateway.clock.advance(60 * MINUTE_MS);
    const lasting = await gateway.signIn();
    gateway.clock.advance(11.5 * 60 * MINUTE_MS);
    const fresh = await gateway.signIn();
    const isKept = async (token: string) => (await gateway.store.sessions.find(hashOfToken(token))) !== null;
    expect([await isKept(old), await isKept(lasting), await isKept(fresh)]).toEqual([false, true, true]);
  });

  it('accepts the token in the query of streams and downloads, for clients that cannot send headers', async () => {
    const { edgeId } = await gateway.seed();
    const token = await gateway.signIn();
    const status = async (path: string, given = token) => {
      const response = await gateway.fetch(`${path}?token=${given}`);
      await response.body?.cancel();
      return response.status;
    };
    for (const path of ['/api/nodes/stream', `/api/nodes/${edgeId}/download`]) {
      expect([await status(path), await status(path, 'sps_wrong')]).toEqual([200, 401]);
    }
  });

  it('accepts it in no other query, and says where it belongs', async () => {
    const token = await gateway.signIn();
    const { status, body } = await stranger(`GET /api/nodes?limit=1&token=${token}`);
    expect(status).toBe(401);
    expect(body['message']).toMatch(/Authorization/);
    expect((await stranger(`POST /api/nodes?token=${token}`, { name: 'edge' })).status).toBe(401);
    expect((await testApi(gateway, token)('GET /api/nodes?limit=1&token=other')).status).toBe(200);
  });

  it.each([
    ['password', WRONG],
    ['name', { ...TEST_ADMIN, username: 'root' }],
    ['spelling of the name', { ...TEST_ADMIN, username: 'Admin' }],
  ])('refuses a wrong %s in the same words', async (_, input) => {
    const { status, body } = await stranger('POST /api/auth/login', input);
    expect([status, body['message']]).toEqual([401, 'Invalid Credentials']);
  });

  it('ends after twelve hours', async () => {
    const api = testApi(gateway, await gateway.signIn());
    gateway.clock.advance(12 * 60 * MINUTE_MS - 1000);
    expect((await api('GET /api/auth/me')).status).toBe(200);
    gateway.clock.advance(1000);
    expect((await api('GET /api/auth/me')).status).toBe(401);
  });

  it('ends at sign-out, for that token alone', async () => {
    const [one, other] = [testApi(gateway, await gateway.signIn()), testApi(gateway, await gateway.signIn())];
    const { status, headers } = await one('POST /api/auth/logout');
    expect(status).toBe(200);
    expect(headers.get('set-cookie')).toContain('Max-Age=0');
    expect((await one('GET /api/auth/me')).status).toBe(401);
    expect((await other('GET /api/auth/me')).status).toBe(200);
  });
});

describe('guessing', () => {
  const from = (address: string, input: object, connection?: Partial<Connection>) =>
    gateway.fetch(
      new Request(`${TEST_URL}/api/auth/login`, {
        method: 'POST',
        body: JSON.stringify(input),
        headers: connection?.trusted ? { 'x-real-ip': address } : {},
      }),
      { address, trusted: false, ...connection },
    );

  it('is over after five wrong passwords in ten minutes, also for the right one, until the window has passed', async () => {
    for (let count = 0; count < 5; count += 1) {
      expect((await from('192.0.2.1', WRONG)).status).toBe(401);
      gateway.clock.advance(MINUTE_MS);
    }
    const refused = await from('192.0.2.1', TEST_ADMIN);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('300');
    expect(await refused.json()).toMatchObject({ message: 'Too many attempts, try again later' });
    expect((await from('192.0.2.2', TEST_ADMIN)).status).toBe(200);
    gateway.clock.advance(5 * MINUTE_MS);
    expect((await from('192.0.2.1', TEST_ADMIN)).status).toBe(200);
  });

  it('is forgiven by the right one', async () => {
    for (let round = 0; round < 3; round += 1) {
      for (let count = 0; count < 4; count += 1) await from('192.0.2.1', WRONG);
      expect((await from('192.0.2.1', TEST_ADMIN)).status).toBe(200);
    }
  });

  it('gains nothing by trying in parallel', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => from('192.0.2.1', WRONG)));
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(5);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(15);
  });

  it('counts no password that was not looked at, as too many were', async () => {
    const replies = await Promise.all(Array.from({ length: 200 }, (_, index) => from(`198.51.100.${index}`, WRONG)));
    const refused = replies.findIndex(({ status }) => status === 429);
    for (let count = 0; count < 5; count += 1) {
      expect((await from(`198.51.100.${refused}`, WRONG)).status).toBe(401);
    }
    expect((await from(`198.51.100.${refused}`, TEST_ADMIN)).status).toBe(429);
  });

  it('counts by the visitor that nginx names, and by no one else’s word', async () => {
    const nginx = { address: '', trusted: true };
    for (let count = 0; count < 5; count += 1) await from('192.0.2.1', WRONG, nginx);
    expect((await from('192.0.2.1', WRONG, nginx)).status).toBe(429);
    expect((await from('192.0.2.2', WRONG, nginx)).status).toBe(401);
    const forged = (real: string) =>
      gateway.fetch(`${TEST_URL}/api/auth/login`, {
        method: 'POST',
        body: JSON.stringify(WRONG),
        headers: { 'x-real-ip': real, 'x-forwarded-for': real },
      });
    const replies = [];
    for (let count = 0; count < 6; count += 1) replies.push((await forged(`198.51.100.${count}`)).status);
    expect(replies).toEqual([401, 401, 401, 401, 401, 429]);
  });

  it('is one guesser for a whole IPv6 network, and for an IPv4 address in either spelling', () => {
    const attempts = createLoginAttempts(() => new Date(0));
    const waits = (addresses: string[]) => addresses.map((address) => attempts.begin(address) > 0);
    expect(waits(['2001:db8::1', '2001:db8:0:0:9::1', '2001:0db8::2', '2001:db8::3', '2001:db8:0:0::4'])).not.toContain(
      true,
    );
    expect(waits(['2001:db8::ffff', '2001:db8:0:1::1'])).toEqual([true, false]);
    expect(waits(Array.from({ length: 5 }, () => '192.0.2.1'))).not.toContain(true);
    expect(waits(['::ffff:192.0.2.1', 'fe80::1%eth0', ''])).toEqual([true, false, false]);
  });

  it('does not fill the memory', () => {
    const attempts = createLoginAttempts(() => new Date(0));
    for (let count = 0; count < 5; count += 1) attempts.begin('192.0.2.1');
    for (let count = 0; count < 10_000; count += 1)
      attempts.begin(`10.${count >> 16}.${(count >> 8) & 255}.${count & 255}`);
    // The oldest address was forgotten to make room.
    expect(attempts.begin('192.0.2.1')).toBe(0);
  });
});

describe('the cookie', () => {
  const login = async (trusted: boolean) => {
    const response = await gateway.fetch(
      new Request(`${TEST_URL}/api/auth/login`, {
        method: 'POST',
        body: JSON.stringify(TEST_ADMIN),
        headers: trusted
          ? { 'x-real-ip': '192.0.2.1', 'x-forwarded-proto': 'https' }
          : { 'x-forwarded-proto': 'https' },
      }),
      { address: '127.0.0.1', trusted },
    );
    return response.headers.get('set-cookie') ?? '';
  };

  it('is out of reach for scripts, other sites and other paths, and Secure on a page that is', async () => {
    expect(await login(true)).toMatch(
      /^sallyport_session=[\w-]+; Path=\/api; HttpOnly; SameSite=Strict; Max-Age=43200; Secure$/,
    );
    expect(await login(false)).toMatch(/Max-Age=43200$/);
  });

  it('is worthless, whatever it holds: no call gives anything for it, and signs no one in', async () => {
    const { body, headers } = await stranger('POST /api/auth/login', TEST_ADMIN);
    const token = String(body['token']);
    const value = /^sallyport_session=([^;]+)/.exec(headers.get('set-cookie') ?? '')?.[1] ?? '';
    expect(value).not.toBe('');
    expect([token.includes(value), value.includes(token)]).toEqual([false, false]);
    expect((await testApi(gateway, value)('GET /api/auth/me')).status).toBe(401);
    // Before an update it held the token itself.
    for (const held of [value, token]) {
      const own = { origin: TEST_URL, 'sec-fetch-site': 'same-origin', cookie: `sallyport_session=${held}` };
      const reply = await stranger('POST /api/auth/session', undefined, own);
      expect(reply.status).toBe(404);
      expect(JSON.stringify(reply.body)).not.toContain(token);
      expect((await stranger('GET /api/nodes', undefined, own)).status).toBe(401);
    }
  });

  it.each([
    ['is missing', ''],
    ['is foreign', 'sallyport_session=tossed'],
    ['comes twice', 'sallyport_session=a; sallyport_session=b'],
  ])('changes nothing when it %s', async (_, cookie) => {
    const api = testApi(gateway, await gateway.signIn());
    expect((await api('GET /api/auth/me', undefined, cookie === '' ? {} : { cookie })).status).toBe(200);
  });

  it.each<Record<string, string>>([
    { origin: 'https://evil.example.test' },
    { 'sec-fetch-site': 'cross-site' },
    // Another port of the gateway's name, where another service may be.
    { 'sec-fetch-site': 'same-site' },
  ])('is not set for a page of another site that knows a password: %j', async (headers) => {
    const reply = await stranger('POST /api/auth/login', TEST_ADMIN, headers);
    expect(reply.status).toBe(400);
    expect(reply.headers.get('set-cookie')).toBeNull();
  });
});

describe('a password', () => {
  it('is hashed with its own salt and cost, and checked by them', async () => {
    const passwords = createPasswords(4);
    const [one, other] = [await passwords.hash('secret'), await passwords.hash('secret')];
    expect(one).toMatch(/^scrypt\$4\$/);
    expect(one).not.toBe(other);
    expect(await createPasswords(5).verify('secret', one)).toBe(true);
    expect(await passwords.verify('Secret', one)).toBe(false);
    expect(await passwords.verify('secret', 'scrypt$4$$')).toBe(false);
  });

  it('is refused rather than kept waiting when too many are being checked', async () => {
    const passwords = createPasswords(4);
    const tries = await Promise.allSettled(Array.from({ length: 60 }, () => passwords.hash('x')));
    const refused = tries.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBe(60 - 34);
    expect(await passwords.hash('x')).toContain('scrypt');
  });

  it('is checked for this machine itself, however many others wait', async () => {
    const passwords = createPasswords(4);
    const stored = await passwords.hash('secret');
    const flood = Promise.allSettled(Array.from({ length: 60 }, () => passwords.verify('x', stored)));
    expect(await passwords.verify('secret', stored, true)).toBe(true);
    await flood;
  });
});
