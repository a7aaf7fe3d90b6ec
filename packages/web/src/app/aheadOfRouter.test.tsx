import { waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { OpenConsole } from '../testing/openConsole.tsx';

const HERE = 'https://gateway.test';

/** The names of the screens whose code was asked for. */
const wanted = new Set<string>();

/** The console's modules as a page has them that has loaded none of its screens yet. */
async function anew() {
  vi.resetModules();
  vi.doMock('./screens.ts', async (original) => {
    const { screens } = await original<typeof import('./screens.ts')>();
    const noted = Object.entries(screens).map(([name, load]) => [
      name,
      () => {
        wanted.add(name);
        return load();
      },
    ]);
    return { screens: Object.fromEntries(noted) };
  });
  wanted.clear();
  const { endTest, openConsole } = await import('../testing/openConsole.tsx');
  onTestFinished(endTest);
  const { ahead } = await import('./ahead.ts');
  return { openConsole, ahead };
}

afterEach(() => {
  vi.unstubAllGlobals();
});

/** An address for each of the router's, out of what is there; what is new needs an example of its own. */
const examples = ({ router, ids }: OpenConsole): string[] => {
  const values: Record<string, string | number> = {
    $id: ids.edgeId,
    $nodeId: ids.edgeId,
    $type: 'http',
    $domain: 'app.example.test',
  };
  return Object.keys(router.routesByPath).map((path) =>
    path.replaceAll(/\$\w+/g, (name) => {
      const value = values[name];
      if (value === undefined) throw new Error(`no example of ${name} in ${path}`);
      return String(value);
    }),
  );
};

/** What the router loads and reads first at an address. */
async function routed(path: string) {
  const { openConsole } = await anew();
  const { requests, router } = await openConsole({ path });
  await waitFor(() => expect(router.state).toMatchObject({ status: 'idle', location: { pathname: path } }));
  return { code: [...wanted].toSorted(), first: requests.find((request) => /^GET (?!\/api\/auth\/)/.test(request)) };
}

/** What is asked for there before there is a router. */
async function early(path: string) {
  const { ahead } = await anew();
  const sent: string[] = [];
  vi.stubGlobal('fetch', async (url: string, { method }: RequestInit) => {
    sent.push(`${method} ${url}`);
    return Response.json(null);
  });
  const kept = { token: 'kept', key: null, endsAt: 0 };
  await ahead({ origin: HERE, pathname: path, search: '' }, async () => kept).sent;
  vi.unstubAllGlobals();
  return { code: [...wanted].toSorted(), first: sent[1] };
}

describe('what is asked for ahead', () => {
  it('is the code that the router loads at each of its addresses, and what its screen reads first', async () => {
    const { openConsole } = await anew();
    const opened = await openConsole();
    // Whatever it has asked for is of its own set of modules.
    await waitFor(() => expect(opened.router.state.status).toBe('idle'));
    const paths = examples(opened).filter((path) => path !== '/login');
    expect(paths.length).toBeGreaterThanOrEqual(6);
    for (const path of paths) {
      const [router, before] = [await routed(path), await early(path)];
      expect({ path, code: before.code }).toEqual({ path, code: router.code });
      // Not every screen has something asked for ahead.
      expect({ path, first: before.first ?? router.first }).toEqual({ path, first: router.first });
    }
    // Where a list or a node is shown, it is what the page waits for.
    expect((await early('/nodes')).first).toBe('GET /api/nodes?page=1&limit=10');
    expect((await early('/domains')).first).toBeDefined();
    expect((await early('/nodes/1')).first).toBeDefined();
  });

  it('is the frame alone at an address that the router does not know', async () => {
    for (const path of ['/elsewhere', '/nodes/x', '/nodes/1/udp/1/logs', '/nodes/1/more']) {
      expect({ path, ...(await early(path)) }).toEqual({ path, code: ['shell'], first: undefined });
    }
  });
});
