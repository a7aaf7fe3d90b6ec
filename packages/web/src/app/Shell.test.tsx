import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { openConsole, openMenu, press, refusal, signIn } from '../testing/openConsole.tsx';

const start = async () => {
  const opened = await openConsole();
  await screen.findByRole('heading', { name: 'Welcome to Sallyport' });
  return opened;
};

it('leads to Home, Domain Names, Client / Nodes and Services, and marks where one is', async () => {
  await start();
  expect(screen.getAllByText('Pages')).not.toHaveLength(0);
  const links = screen.getAllByRole('navigation', { name: 'Main' })[0]?.querySelectorAll('a') ?? [];
  // In this order; a page more comes behind them.
  expect([...links].slice(0, 4).map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
    ['Home', '/'],
    ['Domain Names', '/domains'],
    ['Client / Nodes', '/nodes'],
    ['Services', '/services'],
  ]);
  fireEvent.click(screen.getByRole('link', { name: 'Domain Names' }));
  await screen.findByRole('heading', { name: 'Domain Names' });
  await waitFor(() =>
    expect(screen.getByRole('link', { name: 'Domain Names' }).getAttribute('aria-current')).toBe('page'),
  );
  expect(screen.getByRole('link', { name: 'Home' }).getAttribute('aria-current')).toBeNull();
});

it('offers help and the source', async () => {
  await start();
  const items = await openMenu('Need help?', 'Need help?');
  expect(items.map((item) => [item.textContent, item.getAttribute('href')])).toEqual([
    ['Documentation', '/docs/'],
    ['Contact us', '/docs/contact'],
    ['Keyboard shortcuts', null],
  ]);
  await press('Need help?');
  await waitFor(() => expect(screen.queryByRole('menu')).toBeNull());
  expect(screen.getByRole('link', { name: 'Source code' }).getAttribute('href')).toBe('/docs/source');
});

it('signs out with a spinner, and leads back to the page that was left', async () => {
  const { answer, connection, path, gateway } = await openConsole({ path: '/nodes?type=gateways' });
  await screen.findByRole('link', { name: 'site' });
  const reply = Promise.withResolvers<Response>();
  answer('POST /api/auth/logout', async (request) => {
    await reply.promise;
    return await gateway.fetch(request);
  });
  await press('Sign out');
  const button = screen.getByRole('button', { name: 'Sign out' });
  await waitFor(() => expect(button.getAttribute('aria-busy')).toBe('true'));
  reply.resolve(new Response());
  await screen.findByRole('button', { name: 'Sign in' });
  expect(connection.session.token()).toBeNull();
  expect(path()).toBe('/login?redirect=%2Fnodes%3Ftype%3Dgateways');
});

it('signs out also when the gateway does not answer, and says that it could not be told', async () => {
  const { answer, connection, keeper, openTab } = await start();
  answer('POST /api/auth/logout', () => refusal(500, { message: 'no' }));
  await press('Sign out');
  await screen.findByRole('button', { name: 'Sign in' });
  await screen.findByText(
    /^Signed out\. The gateway could not be told: the session there ends at .+, and is of no use without the key that this browser has just deleted\.$/,
  );
  expect(connection.session.token()).toBeNull();
  // It is true after a reload as well.
  expect(await keeper.read()).toBeNull();
  expect((await openTab('/nodes')).path()).toBe('/login?redirect=%2Fnodes');
});

it('tells on the login page why the gateway has ended the session', async () => {
  const { gateway, router, path } = await openConsole({ path: '/' });
  await screen.findByRole('heading', { name: 'Welcome to Sallyport' });
  await gateway.store.write((tx) => tx.sessions.endAll('password-changed'));
  await router.navigate({ to: '/nodes' });
  await screen.findByRole('button', { name: 'Sign in' });
  expect(screen.getByRole('status').textContent).toBe('The password was changed. Sign in again.');
  expect(path()).toBe('/login?redirect=%2Fnodes');
  await press('Close');
  expect(screen.queryByText('The password was changed. Sign in again.')).toBeNull();
});

it('tells on the login page after a reload that the session has expired', async () => {
  const { gateway, openTab } = await start();
  gateway.clock.advance(12 * 60 * 60_000);
  const tab = await openTab('/nodes');
  expect(tab.path()).toBe('/login?redirect=%2Fnodes');
  expect(tab.connection.session.notice.get()).toBe('Your session has expired. Sign in again.');
});

it('marks Settings, and no page, while a part of the gateway does not run that should', async () => {
  const { gateway, router } = await openConsole({ path: '/login', session: 'none' });
  gateway.world.setUnavailable([
    { feature: 'letsEncrypt', reason: 'certbot is not installed.', fix: 'Install it.' },
    { feature: 'tunnel', reason: 'It is turned off.', fix: 'Turn it on.', chosen: true },
  ]);
  await signIn();
  const [link] = await screen.findAllByRole('link', { name: /^Settings\s?, 1 unavailable$/ });
  await router.navigate({ to: '/domains' });
  await screen.findByRole('heading', { name: 'Domain Names' });
  expect(document.body.textContent).not.toContain('certbot is not installed.');
  fireEvent.pointerEnter(link ?? document.body, { pointerType: 'mouse' });
  expect((await screen.findByRole('tooltip', { hidden: true })).textContent).toBe('1 unavailable');
});

it('on a small screen says so at the button of the navigation, which has the theme and the way out in words', async () => {
  const { gateway } = await openConsole({ path: '/login', session: 'none' });
  gateway.world.setUnavailable([{ feature: 'tunnel', reason: 'WireGuard is not installed.', fix: 'Install it.' }]);
  await signIn();
  await screen.findAllByRole('link', { name: /^Settings\s?, 1 unavailable$/ });
  const button = screen.getByRole('button', { name: 'Open navigation' });
  expect(button.getAttribute('aria-description')).toBe('1 unavailable');
  await press('Open navigation');
  const drawer = within(await screen.findByRole('dialog', { name: 'Navigation' }));
  const before = drawer.getByRole('button', { name: /^Theme: / }).textContent;
  fireEvent.click(drawer.getByRole('button', { name: /^Theme: / }));
  expect(drawer.getByRole('button', { name: /^Theme: / }).textContent).not.toBe(before);
  fireEvent.click(drawer.getByRole('link', { name: 'Services' }));
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Navigation' })).toBeNull());
  await press('Open navigation');
  const again = within(await screen.findByRole('dialog', { name: 'Navigation' }));
  fireEvent.click(again.getByRole('button', { name: 'Sign out' }));
  await screen.findByRole('button', { name: 'Sign in' });
});

it('does not mark Settings for what is off by choice', async () => {
  const { gateway, requests } = await openConsole({ path: '/login', session: 'none' });
  gateway.world.setUnavailable([{ feature: 'visitorSignIn', reason: 'None is set up.', fix: 'Do it.', chosen: true }]);
  await signIn();
  await screen.findByRole('heading', { name: 'Welcome to Sallyport' });
  await waitFor(() => expect(requests).toContain('GET /api/config'));
  expect(await screen.findAllByRole('link', { name: 'Settings' })).not.toHaveLength(0);
  expect(screen.queryByRole('link', { name: /unavailable/ })).toBeNull();
});
