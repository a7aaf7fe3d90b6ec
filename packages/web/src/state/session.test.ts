import { beforeEach, expect, it, vi } from 'vitest';
import type { KeptSession, SessionKeeper, TabMessage } from './keptSession.ts';
import { createSession, safePath, type SessionPorts } from './session.ts';

const WHO = { username: 'admin', password: 'secret' };

/** What one browser keeps, and what its tabs say. */
let kept: KeptSession | null;
let listeners: ((message: TabMessage) => void)[];
let told: TabMessage[];

beforeEach(() => {
  kept = null;
  listeners = [];
  told = [];
});

const keeper: SessionKeeper = {
  read: async () => kept,
  write: async (session) => void (kept = session),
  remove: async (token) => void (kept = kept?.token === token ? null : kept),
};
const KEPT: KeptSession = { token: 'secret', key: null, endsAt: Date.now() + 3_600_000 };

function open(ports: Partial<SessionPorts> = {}) {
  const login = vi.fn<SessionPorts['login']>(async () => ({ token: 'secret', seconds: 3600 }));
  const own: (typeof listeners)[number][] = [];
  const all = {
    keeper,
    tabs: {
      tell: (message: TabMessage) => {
        told.push(message);
        for (const listener of listeners) if (!own.includes(listener)) listener(message);
      },
      listen: (listener: (message: TabMessage) => void) => {
        own.push(listener);
        listeners.push(listener);
      },
    },
    login,
    check: vi.fn<SessionPorts['check']>(async () => 'ok'),
    refusalOf: (error: unknown) => (error instanceof RangeError ? error.message : null),
    logout: vi.fn<SessionPorts['logout']>(async () => 'ok'),
    navigate: vi.fn<SessionPorts['navigate']>(),
    reload: vi.fn<SessionPorts['reload']>(),
    currentPath: () => '/nodes',
    ...ports,
  };
  return { ...all, login, session: createSession(all) };
}

it('signs in with a new key each time, and keeps token and key', async () => {
  const { session, login } = open();
  await session.signIn(WHO);
  const [first] = login.mock.calls[0] ?? [];
  expect(first).toEqual({ ...WHO, publicKey: expect.objectContaining({ kty: 'EC', crv: 'P-256' }) });
  expect(session.token()).toBe('secret');
  expect(kept).toMatchObject({ token: 'secret', key: { publicKey: first?.publicKey } });
  expect(kept?.key?.privateKey.extractable).toBe(false);
  await session.signIn(WHO);
  expect(login.mock.calls[1]?.[0].publicKey).not.toEqual(first?.publicKey);
});

it('signs in without a key where the browser makes none, with nothing for the proof', async () => {
  vi.stubGlobal('crypto', {});
  const { session, login } = open();
  await session.signIn(WHO);
  vi.unstubAllGlobals();
  expect(login).toHaveBeenCalledExactlyOnceWith(WHO);
  expect(await session.proof({ method: 'GET', url: 'https://g/', token: 'secret', gatewayTime: null })).toBeNull();
});

it('proves by the clock of the gateway once that has refused a proof', async () => {
  const { session } = open();
  await session.signIn(WHO);
  const time = async (gatewayTime: Date | null) => {
    const proof = await session.proof({ method: 'GET', url: 'https://g/a?b=c#d', token: 'secret', gatewayTime });
    const claims = JSON.parse(atob(proof?.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? '')) as object;
    expect(claims).toMatchObject({ htm: 'GET', htu: 'https://g/a' });
    return (claims as { iat: number }).iat;
  };
  const hour = 3600;
  const now = await time(null);
  expect((await time(new Date(Date.now() + hour * 1000))) - now).toBeGreaterThanOrEqual(hour - 1);
  expect((await time(null)) - now).toBeGreaterThanOrEqual(hour - 1);
  // Another token is not this session's.
  expect(await session.proof({ method: 'GET', url: 'https://g/', token: 'other', gatewayTime: null })).toBeNull();
});

it('takes up what was kept once, and asks again only when the gateway could not be asked', async () => {
  kept = KEPT;
  const check = vi.fn<SessionPorts['check']>().mockRejectedValueOnce(new Error('no network')).mockResolvedValue('ok');
  const { session } = open({ check });
  await expect(session.restore()).rejects.toThrow('no network');
  expect([session.token(), kept]).toEqual([null, KEPT]);
  await Promise.all([session.restore(), session.restore()]);
  expect(check).toHaveBeenCalledTimes(2);
  expect(session.token()).toBe('secret');
});

it('forgets what was kept when the gateway has ended it, and says why', async () => {
  kept = KEPT;
  const { session } = open({ check: () => Promise.reject(new RangeError('Your session has expired.')) });
  await session.restore();
  expect([session.token(), kept, session.notice.get()]).toEqual([null, null, 'Your session has expired.']);
});

it('deletes the session here before it tells the gateway, then goes to the login page', async () => {
  const logout = vi.fn<SessionPorts['logout']>(async () => {
    expect(kept).toBeNull();
    // It still signs the call.
    expect(session.token()).toBe('secret');
  });
  const { session, navigate } = open({ logout });
  await session.signIn(WHO);
  expect(await Promise.all([session.end('/nodes/3'), session.end('/')])).toEqual([
    expect.objectContaining({ told: true, hadKey: true }),
    expect.objectContaining({ told: true }),
  ]);
  expect(logout).toHaveBeenCalledTimes(1);
  expect([session.token(), session.notice.get()]).toEqual([null, null]);
  expect(navigate).toHaveBeenCalledExactlyOnceWith('/login?redirect=%2Fnodes%2F3');
});

it('loads the login page when routing fails', async () => {
  const { session, reload } = open({ navigate: () => Promise.reject(new Error('chunk is gone')) });
  await session.signIn(WHO);
  await session.end('/domains');
  expect(reload).toHaveBeenCalledWith('/login?redirect=%2Fdomains');
});

it('does nothing when no one is signed in', async () => {
  const { session, logout, navigate } = open();
  expect(await session.end('/')).toBeNull();
  expect(logout).not.toHaveBeenCalled();
  expect(navigate).not.toHaveBeenCalled();
});

it('is over in all tabs at once, which are told why', async () => {
  const [one, two] = [open(), open()];
  await one.session.signIn(WHO);
  await vi.waitFor(() => expect(two.session.token()).toBe('secret'));
  await one.session.end('/');
  expect([two.session.token(), two.session.notice.get()]).toEqual([null, 'You signed out in another tab.']);
  expect(two.navigate).toHaveBeenLastCalledWith('/login?redirect=%2Fnodes');
  expect(two.logout).not.toHaveBeenCalled();
  await one.session.signIn(WHO);
  await vi.waitFor(() => expect(two.session.token()).toBe('secret'));
  await two.session.end('/', 'The password was changed.');
  expect([one.session.token(), one.session.notice.get()]).toEqual([null, 'The password was changed.']);
});

it('leaves a tab alone that has another session', async () => {
  const [one, two] = [open(), open({ keeper: { ...keeper, read: async () => null } })];
  await two.session.signIn(WHO);
  one.login.mockResolvedValue({ token: 'other', seconds: 60 });
  await one.session.signIn(WHO);
  await one.session.end('/');
  expect(two.session.token()).toBe('secret');
});

it.each(['/', '/nodes', '/nodes/3?page=2#x', '/domains/app.example.test/logs', '/loginish'])('keeps %s', (path) => {
  expect(safePath(path)).toBe(path);
});

it.each([
  undefined,
  null,
  7,
  '',
  'nodes',
  'https://elsewhere.test/',
  'javascript:alert(1)',
  '//elsewhere.test/',
  '/\\elsewhere.test',
  '/nodes\\..\\..',
  '/nodes//elsewhere.test',
  '/\t/elsewhere.test',
  '/\n/elsewhere.test',
  '/ /elsewhere.test',
  '/login',
  '/login?redirect=/login',
])('goes home instead of to %j', (path) => {
  expect(safePath(path)).toBe('/');
});
