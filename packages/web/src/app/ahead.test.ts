import { sessionEndpoints } from '@sallyport/sdk/contract';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ahead } from './ahead.ts';
import { screens } from './screens.ts';
import type { KeptSession } from '../state/keptSession.ts';
import { createOwnKey } from '../state/ownKey.ts';

const HERE = 'https://gateway.test';
const at = (pathname: string, search = '') => ({ origin: HERE, pathname, search });
const read = (path: string) => new Request(HERE + path);
const me = () => read(sessionEndpoints.me.path);

function answering(body: unknown, status = 200) {
  const sent = vi.fn(async (..._request: unknown[]) => Response.json(body, { status }));
  vi.stubGlobal('fetch', sent);
  return sent;
}

const SIGNED_IN = { id: 1, type: 'admin' };
const kept = async (): Promise<KeptSession> => ({ token: 'kept', key: await createOwnKey(), endsAt: 0 });

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe('what is asked for ahead', () => {
  it('is whether the session lasts, which the console then does not ask for a second time', async () => {
    const sending = answering(SIGNED_IN);
    const { fetch, sent } = ahead(at('/what/ever'), kept);
    await sent;
    expect(sending.mock.calls).toEqual([
      [
        sessionEndpoints.me.path,
        expect.objectContaining({ method: sessionEndpoints.me.method, credentials: 'include', redirect: 'manual' }),
      ],
    ]);
    expect(await (await fetch(me())).json()).toEqual(SIGNED_IN);
    expect(sending).toHaveBeenCalledTimes(1);
    await fetch(me());
    await fetch(read('/api/nodes'));
    expect(sending).toHaveBeenCalledTimes(3);
  });

  it('is what the screen shows first, with the token of the session and a proof of its key, taken once', async () => {
    const sending = answering(SIGNED_IN);
    spied();
    const { fetch, sent } = ahead(at('/nodes/17'), kept);
    await sent;
    expect(sending.mock.calls[1]).toEqual([
      '/api/nodes/17',
      expect.objectContaining({
        method: 'GET',
        headers: expect.objectContaining({ authorization: 'Bearer kept', dpop: expect.stringMatching(/^ey/) }),
      }),
    ]);
    await fetch(read('/api/nodes/17'));
    expect(sending).toHaveBeenCalledTimes(2);
    await fetch(read('/api/nodes/17'));
    expect(sending).toHaveBeenCalledTimes(3);
  });

  it('is no list when its address says how it is looked at', async () => {
    const sending = answering(SIGNED_IN);
    spied();
    await ahead(at('/nodes', '?page=2'), kept).sent;
    expect(sending).toHaveBeenCalledTimes(1);
  });

  it('is not given out any more when nobody has wanted it for half a minute', async () => {
    vi.useFakeTimers();
    const sending = answering(SIGNED_IN);
    spied();
    const { fetch, sent } = ahead(at('/nodes'), kept);
    await sent;
    expect(sending).toHaveBeenCalledTimes(2);
    vi.advanceTimersByTime(30_000);
    await fetch(read('/api/nodes?page=1&limit=10'));
    expect(sending).toHaveBeenCalledTimes(3);
  });

  it.each([
    ['was kept', async () => null],
    ['can be kept', () => Promise.reject(new Error('no database'))],
  ])('is nothing at all when no session %s', async (_case, none) => {
    const sending = answering(SIGNED_IN);
    const loads = spied();
    await ahead(at('/nodes'), none).sent;
    expect(loads()).toEqual([]);
    expect(sending).not.toHaveBeenCalled();
  });

  it('tells the console when the gateway cannot be reached, which may then ask again', async () => {
    const sending = vi.fn(async () => Response.json(null)).mockRejectedValueOnce(new TypeError('Failed to fetch'));
    vi.stubGlobal('fetch', sending);
    const { fetch, sent } = ahead(at('/what/ever'), kept);
    await sent;
    await expect(fetch(me())).rejects.toThrow('Failed to fetch');
    expect(await (await fetch(me())).json()).toBeNull();
  });
});

/** Which screens were loaded, in the order of the alphabet. */
function spied(): () => string[] {
  const spies = Object.keys(screens).map((name) => ({
    name,
    spy: vi.spyOn(screens, name as keyof typeof screens).mockResolvedValue({} as never),
  }));
  return () =>
    spies
      .filter(({ spy }) => spy.mock.calls.length > 0)
      .map(({ name }) => name)
      .toSorted();
}
