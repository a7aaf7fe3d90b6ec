import { sessionEndpoints } from '@sallyport/sdk/contract';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ahead } from './ahead.ts';
import { screens } from './screens.ts';

const HERE = 'https://gateway.test';
const at = (pathname: string, search = '') => ({ origin: HERE, pathname, search });
const resume = () => new Request(HERE + sessionEndpoints.resume.path, { method: sessionEndpoints.resume.method });
const read = (path: string) => new Request(HERE + path);

function answering(body: unknown, status = 200) {
  const sent = vi.fn(async (..._request: unknown[]) => Response.json(body, { status }));
  vi.stubGlobal('fetch', sent);
  return sent;
}

const SIGNED_IN = { token: 'kept' };

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe('what is asked for ahead', () => {
  it('is the session, which the console then does not ask for a second time', async () => {
    const sent = answering(SIGNED_IN);
    const { fetch, known } = ahead(at('/what/ever'));
    expect(sent).toHaveBeenCalledTimes(1);
    expect(sent.mock.calls[0]).toEqual([
      sessionEndpoints.resume.path,
      expect.objectContaining({ method: sessionEndpoints.resume.method, credentials: 'include', redirect: 'manual' }),
    ]);
    await known;
    expect(await (await fetch(resume())).json()).toEqual(SIGNED_IN);
    expect(sent).toHaveBeenCalledTimes(1);
    await fetch(resume());
    await fetch(read('/api/nodes'));
    expect(sent).toHaveBeenCalledTimes(3);
  });

  it('is what the screen shows first, with the token of the session, taken once', async () => {
    const sent = answering(SIGNED_IN);
    spied();
    const { fetch, known } = ahead(at('/nodes/17'));
    await known;
    expect(sent.mock.calls[1]).toEqual([
      '/api/nodes/17',
      expect.objectContaining({ method: 'GET', headers: expect.objectContaining({ authorization: 'Bearer kept' }) }),
    ]);
    await fetch(read('/api/nodes/17'));
    expect(sent).toHaveBeenCalledTimes(2);
    await fetch(read('/api/nodes/17'));
    expect(sent).toHaveBeenCalledTimes(3);
  });

  it('is no list when its address says how it is looked at', async () => {
    const sent = answering(SIGNED_IN);
    spied();
    await ahead(at('/nodes', '?page=2')).known;
    expect(sent).toHaveBeenCalledTimes(1);
  });

  it('is not given out any more when nobody has wanted it for half a minute', async () => {
    vi.useFakeTimers();
    const sent = answering(SIGNED_IN);
    spied();
    const { fetch, known } = ahead(at('/nodes'));
    await known;
    expect(sent).toHaveBeenCalledTimes(2);
    vi.advanceTimersByTime(30_000);
    await fetch(read('/api/nodes?page=1&limit=10'));
    expect(sent).toHaveBeenCalledTimes(3);
  });

  it.each([
    ['nobody is signed in', null, 200],
    ['the gateway refuses', { status: 'error' }, 500],
  ])('is neither screen nor rows when %s', async (_case, body, status) => {
    const sent = answering(body, status);
    const loads = spied();
    const { fetch, known } = ahead(at('/nodes'));
    await known;
    expect((await fetch(resume())).status).toBe(status);
    expect(loads()).toEqual([]);
    expect(sent).toHaveBeenCalledTimes(1);
  });

  it('tells the console when the gateway cannot be reached, which may then ask again', async () => {
    const sent = vi.fn(async () => Response.json(null)).mockRejectedValueOnce(new TypeError('Failed to fetch'));
    vi.stubGlobal('fetch', sent);
    const { fetch, known } = ahead(at('/nodes'));
    await known;
    await expect(fetch(resume())).rejects.toThrow('Failed to fetch');
    expect(await (await fetch(resume())).json()).toBeNull();
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
