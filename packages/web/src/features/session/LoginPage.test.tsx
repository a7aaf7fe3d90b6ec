import { screen, waitFor } from '@testing-library/react';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openConsole, press, refusal, type } from '../../testing/openConsole.tsx';

async function attempt(): Promise<void> {
  await type(/^Username/, 'admin');
  await type(/^Password/, 'wrong');
  await press('Sign in');
}

it.each([
  [401, 'Invalid Credentials'],
  [429, 'Too many attempts, try again later'],
  [400, 'Invalid Credentials'],
  [500, 'Invalid Credentials'],
])('answers a %i in an alert that can be closed: %s', async (status, text) => {
  const { answer, path } = await openConsole({ path: '/login', session: 'none' });
  answer('POST /api/auth/login', () => refusal(status, { message: 'something else' }));
  await attempt();
  expect((await screen.findByRole('alert')).textContent).toBe(text);
  await press('Close');
  expect(screen.queryByRole('alert')).toBeNull();
  expect(path()).toBe('/login');
});

it('begins in the username, and goes on in the password when it was refused', async () => {
  await openConsole({ path: '/login', session: 'none' });
  const username = await screen.findByLabelText('Username');
  expect(document.activeElement).toBe(username);
  await attempt();
  await screen.findByRole('alert');
  const password = screen.getByLabelText<HTMLInputElement>('Password');
  expect(document.activeElement).toBe(password);
  expect([password.selectionStart, password.selectionEnd]).toEqual([0, 'wrong'.length]);
});

it('passes on that the gateway cannot be reached', async () => {
  const { answer } = await openConsole({ path: '/login', session: 'none' });
  answer('POST /api/auth/login', () => Promise.reject(new TypeError('fetch failed')));
  await attempt();
  expect((await screen.findByRole('alert')).textContent).toMatch(/^The gateway cannot be reached/);
});

it('looks for a newer console when it does not understand the answer', async () => {
  onTestFinished(() => {
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
    sessionStorage.clear();
  });
  const script = { type: 'module', getAttribute: () => '/assets/index-old.js' };
  vi.spyOn(document, 'scripts', 'get').mockReturnValue([script] as never);
  vi.stubGlobal('fetch', async () => new Response('<script type="module" src="/assets/index-new.js"></script>'));
  const reload = vi.spyOn(location, 'reload').mockReturnValue();
  const { answer } = await openConsole({ path: '/login', session: 'none' });
  answer('POST /api/auth/login', () => Response.json({ ticket: 'of another version' }));
  await attempt();
  await waitFor(() => expect(reload).toHaveBeenCalledOnce());
});

it('validates a field when it is left and the form on submit, without a call', async () => {
  const { requests } = await openConsole({ path: '/login', session: 'none' });
  await type(/^Username/, '');
  await waitFor(() => expect(screen.getAllByText('This field is not allowed to be empty')).toHaveLength(1));
  await press('Sign in');
  await waitFor(() => expect(screen.getAllByText('This field is not allowed to be empty')).toHaveLength(2));
  expect(requests).not.toContain('POST /api/auth/login');
});

it('is named in the title and points to the terms', async () => {
  await openConsole({ path: '/login', session: 'none' });
  expect((await screen.findByRole('link', { name: 'terms of service' })).getAttribute('href')).toBe('/docs/terms');
  expect(document.title).toBe('Sign in · Sallyport');
});
