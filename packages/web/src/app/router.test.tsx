import { act, cleanup, render, screen, waitFor } from '@testing-library/react';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openConsole, refusal, signIn } from '../testing/openConsole.tsx';
import { prefetchScreen } from './router.tsx';
import { App } from './start.tsx';

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
  ])('is fetched together with that of the frame around it (%s)', async (path, route) => {
    const { router, fetched } = await notingRoutes(path);
    await prefetchScreen(router);
    expect(fetched()).toEqual(['__root__', '/shell', route]);
  });

  it('does not fail the start when it does not come early', async () => {
    const { router, fetched } = await notingRoutes('/domains', () => Promise.reject(new TypeError('Failed to fetch')));
    await expect(prefetchScreen(router)).resolves.toBeUndefined();
    expect(fetched()).toContain('/shell/domains');
  });
});

it('sends a visitor without a session to the login page, and after sign-in back to where they wanted', async () => {
  const { path } = await openConsole({ path: '/nodes?type=gateways', session: 'none' });
  await screen.findByRole('button', { name: 'Sign in' });
  expect(path()).toBe(`/login?redirect=${encodeURIComponent('/nodes?type=gateways')}`);
  await signIn();
  await screen.findByRole('heading', { name: 'Client / Nodes' });
  expect(path()).toBe('/nodes?type=gateways');
});

it.each([
  '/',
  '/domains',
  '/domains/app.example.test/logs',
  '/nodes',
  '/nodes/2',
  '/nodes/1/http/1',
  '/nodes/1/http/1/logs',
  '/nodes/1/tcp/1/logs',
])('shows nothing of %s to who is not signed in, and asks the gateway for nothing', async (path) => {
  const { requests } = await openConsole({ path, session: 'none' });
  await screen.findByRole('button', { name: 'Sign in' });
  expect(requests.filter((request) => !request.includes('/api/auth/'))).toEqual([]);
});

it('never leads elsewhere after sign-in', async () => {
  const { path } = await openConsole({ path: '/login?redirect=%2F%2Felsewhere.test%2F', session: 'none' });
  await signIn();
  await screen.findByRole('heading', { name: 'Welcome to Sallyport' });
  expect(path()).toBe('/');
});

it('sends an administrator away from the login page', async () => {
  const { path } = await openConsole({ path: '/login' });
  await screen.findByRole('heading', { name: 'Welcome to Sallyport' });
  expect(path()).toBe('/');
});

it('takes the session up again after a reload', async () => {
  const { connection } = await openConsole({ path: '/nodes', session: 'kept' });
  await screen.findByRole('link', { name: 'edge' });
  expect(connection.session.token()).not.toBeNull();
});

it('tries again by itself where it could not start, and says when', async () => {
  const { answer, openTab } = await openConsole({ session: 'kept' });
  await screen.findByRole('heading', { name: 'Welcome to Sallyport' });
  cleanup();
  answer('GET /api/auth/me', () => refusal(500, { message: 'The database is locked' }));
  const tab = await openTab('/nodes');
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  await act(async () => render(<App connection={tab.connection} router={tab.router} />));
  expect(screen.getByRole('alert').textContent).toContain('The database is locked');
  expect(screen.getByRole('button', { name: 'Try again in 10 s' })).toBeDefined();
  await act(() => vi.advanceTimersByTimeAsync(1000));
  expect(screen.getByRole('button', { name: 'Try again in 9 s' })).toBeDefined();
  // Each second is drawn before the next begins.
  for (let second = 9; second > 0; second--) await act(() => vi.advanceTimersByTimeAsync(1000));
  vi.useRealTimers();
  await screen.findByRole('link', { name: 'edge' });
});

it.each(['started', 'none'] as const)('shows an unknown path to anybody (session: %s)', async (session) => {
  await openConsole({ path: '/what/ever', session });
  await screen.findByText("Hmm...this page doesn't exist. Try searching for something else!");
  expect(screen.getByRole('link', { name: 'Back To Home' }).getAttribute('href')).toBe('/');
  const isSignedIn = session === 'started';
  expect(screen.queryByRole('link', { name: 'Client / Nodes' }) !== null).toBe(isSignedIn);
});

it.each(['/nodes/1/udp/1', '/nodes/1/http/0', '/nodes/1/udp/1/logs', '/nodes/abc/http/1/logs', '/nodes/1/http/0/logs'])(
  'has no page %s',
  async (path) => {
    await openConsole({ path });
    const said = await screen.findByRole('heading', { level: 1 });
    expect(said.textContent).toBe("Hmm...this page doesn't exist. Try searching for something else!");
  },
);

it.each([
  ['/', 'Home'],
  ['/domains', 'Domain Names'],
  ['/domains/app.example.test/logs', 'Logs of app.example.test'],
  ['/nodes', 'Client / Nodes'],
  ['/nodes/2', 'edge'],
  ['/nodes/9999', 'There is no node 9999'],
  ['/nodes/1/http/2', 'App'],
  ['/nodes/1/http/9999', 'There is no HTTP service 9999 of node 1'],
  ['/what/ever', 'Page not found'],
])('titles %s %s', async (path, title) => {
  await openConsole({ path });
  await waitFor(() => expect(document.title.endsWith(`${title} · Sallyport`)).toBe(true));
});
