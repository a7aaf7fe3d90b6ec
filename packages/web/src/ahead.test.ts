import { sessionEndpoints } from '@sallyport/sdk/contract';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ahead } from './ahead.ts';
import { screens } from './screens.ts';

const HERE = 'https://gateway.test';
const resume = () => new Request(HERE + sessionEndpoints.resume.path, { method: sessionEndpoints.resume.method });

function answering(body: unknown, status = 200) {
  const sent = vi.fn(async (_request: unknown) => Response.json(body, { status }));
  vi.stubGlobal('fetch', sent);
  return sent;
}

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe('what is asked for ahead', () => {
  it('is the session, which the console then does not ask for a second time', async () => {
    const sent = answering({ token: 'kept' });
    const send = ahead({ origin: HERE, pathname: '/login' });
    expect(sent).toHaveBeenCalledTimes(1);
    expect(sent.mock.calls[0]).toEqual([
      sessionEndpoints.resume.path,
      expect.objectContaining({ method: sessionEndpoints.resume.method, credentials: 'include', redirect: 'manual' }),
    ]);
    expect(await (await send(resume())).json()).toEqual({ token: 'kept' });
    expect(sent).toHaveBeenCalledTimes(1);
    await send(resume());
    await send(new Request(`${HERE}/api/nodes`));
    expect(sent).toHaveBeenCalledTimes(3);
  });

  it.each([
    ['/', ['shell', 'home']],
    ['/nodes', ['shell', 'load', 'nodes']],
    ['/nodes/7', ['shell', 'load', 'node']],
    ['/nodes/7/http/3/logs', ['shell', 'serviceLogs']],
    ['/domains', ['shell', 'load', 'domains']],
    ['/domains/app.example.test/logs', ['shell', 'domainLogs']],
    ['/elsewhere', ['shell']],
  ] as const)('is the code of the screen at %s for whoever is signed in', async (pathname, wanted) => {
    answering({ token: 'kept' });
    const loads = spied();
    ahead({ origin: HERE, pathname });
    await vi.waitFor(() => expect(loads()).toEqual([...wanted].toSorted()));
  });

  it.each([
    ['nobody is signed in', null, 200],
    ['the gateway refuses', { status: 'error' }, 500],
  ])('is no screen when %s', async (_case, body, status) => {
    answering(body, status);
    const loads = spied();
    const send = ahead({ origin: HERE, pathname: '/nodes' });
    expect((await send(resume())).status).toBe(status);
    await new Promise((resolve) => setTimeout(resolve));
    expect(loads()).toEqual([]);
  });

  it('tells the console when the gateway cannot be reached, which may then ask again', async () => {
    const sent = vi.fn(async () => Response.json(null)).mockRejectedValueOnce(new TypeError('Failed to fetch'));
    vi.stubGlobal('fetch', sent);
    const send = ahead({ origin: HERE, pathname: '/nodes' });
    await expect(send(resume())).rejects.toThrow('Failed to fetch');
    expect(await (await send(resume())).json()).toBeNull();
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
