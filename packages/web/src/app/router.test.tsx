import { waitFor } from '@testing-library/react';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openConsole } from '../testing/openConsole.tsx';
import { prefetchScreen } from './router.tsx';

/** The console at an address; each route that it would fetch the code of is noted instead. */
async function notingRoutes(path: string, preload: () => Promise<void> = async () => undefined) {
  const { router } = await openConsole({ path });
  await waitFor(() => expect(router.state.status).toBe('idle'));
  const routes = Object.entries(router.routesById).flatMap(([id, { options }]) => {
    const component = options.component as { preload?: unknown } | undefined;
    if (component === undefined) return [];
    const before = component.preload;
    const spy = vi.fn<() => Promise<void>>(preload);
    component.preload = spy;
    onTestFinished(() => void (component.preload = before));
    return [{ id, spy }];
  });
  const fetched = () => routes.filter(({ spy }) => spy.mock.calls.length > 0).map(({ id }) => id);
  return { router, fetched };
}

describe('the code of a screen', () => {
  it.each([
    ['/nodes?page=2', '/shell/nodes'],
    ['/nodes/17', '/shell/nodes/$id'],
    ['/domains/app.example.test/logs', '/shell/domains/$domain/logs'],
  ])('is fetched together with that of the frame around it (%s)', async (path, screen) => {
    const { router, fetched } = await notingRoutes(path);
    await prefetchScreen(router);
    expect(fetched()).toEqual(['__root__', '/shell', screen]);
  });

  it('does not fail the start when it does not come early', async () => {
    const { router, fetched } = await notingRoutes('/domains', () => Promise.reject(new TypeError('Failed to fetch')));
    await expect(prefetchScreen(router)).resolves.toBeUndefined();
    expect(fetched()).toContain('/shell/domains');
  });
});
