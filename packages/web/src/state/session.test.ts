import { expect, it, vi } from 'vitest';
import { createSession, type SessionPorts } from './session.ts';

function open(ports: Partial<SessionPorts> = {}) {
  const all = {
    resume: vi.fn<SessionPorts['resume']>(async () => null),
    logout: vi.fn<SessionPorts['logout']>(async () => 'ok'),
    navigate: vi.fn<SessionPorts['navigate']>(),
    reload: vi.fn<SessionPorts['reload']>(),
    ...ports,
  };
  return { ...all, session: createSession(all) };
}

it('asks the gateway for the token once, and again only when it could not be asked', async () => {
  const resume = vi
    .fn<SessionPorts['resume']>()
    .mockRejectedValueOnce(new Error('no network'))
    .mockResolvedValue({ token: 'secret' });
  const { session } = open({ resume });
  await expect(session.restore()).rejects.toThrow('no network');
  await Promise.all([session.restore(), session.restore()]);
  expect(resume).toHaveBeenCalledTimes(2);
  expect(session.token()).toBe('secret');
});

it('ends the session on the gateway while the token still counts, then forgets it and goes to the login page', async () => {
  const logout = vi.fn<SessionPorts['logout']>(async () => expect(session.token()).toBe('secret'));
  const { session, navigate } = open({ logout });
  session.start('secret');
  expect(await Promise.all([session.end('/nodes/3'), session.end('/')])).toEqual([true, true]);
  expect(logout).toHaveBeenCalledTimes(1);
  expect(session.token()).toBeNull();
  expect(navigate).toHaveBeenCalledExactlyOnceWith('/login?redirect=%2Fnodes%2F3');
});

it('forgets the token also when the gateway cannot be told, and says so', async () => {
  const { session, navigate } = open({ logout: () => Promise.reject(new Error('no network')) });
  session.start('secret');
  expect(await session.end('/')).toBe(false);
  expect(session.token()).toBeNull();
  expect(navigate).toHaveBeenCalledWith('/login');
});

it('loads the login page anew when routing fails', async () => {
  const { session, reload } = open({ navigate: () => Promise.reject(new Error('chunk is gone')) });
  session.start('secret');
  await session.end('/domains');
  expect(reload).toHaveBeenCalledWith('/login?redirect=%2Fdomains');
});

it('does nothing when nobody is signed in', async () => {
  const { session, logout, navigate } = open();
  await session.end('/');
  expect(logout).not.toHaveBeenCalled();
  expect(navigate).not.toHaveBeenCalled();
});
