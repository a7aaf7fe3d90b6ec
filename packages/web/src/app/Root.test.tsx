import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { toasts } from '../state/toasts.ts';
import { dialog, openConsole, press, type } from '../testing/openConsole.tsx';
import { build, oldBuild, serves } from '../testing/otherBuild.ts';

const UPDATED = 'The console was updated';
/** A reply that this build of the console cannot read. */
const unknown = () => Response.json({ from: 'a newer gateway' });

it('is not asked where nothing is lost: the page reloads by itself when a reply is of another contract', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const { answer } = await openConsole({ path: '/' });
  const link = await screen.findByRole('link', { name: 'Domain Names' });
  const reload = oldBuild();
  serves(build('new'));
  answer('GET /api/domains', unknown);
  fireEvent.click(link);
  await waitFor(() => expect(reload).toHaveBeenCalledOnce());
  expect(screen.queryByText(UPDATED)).toBeNull();
});

it('is asked before the page reloads while a form is open, and leaves what was typed', async () => {
  const { answer } = await openConsole({ path: '/nodes' });
  const reload = oldBuild();
  serves(build('newer'));
  await press('Add Client');
  const form = await dialog('Client / Node Configuration');
  await type(/^Name/, 'office');
  answer('POST /api/nodes', unknown);
  await press('Save');
  const question = within(await dialog(UPDATED));
  question.getByText(/^Reload to go on/);
  expect(reload).not.toHaveBeenCalled();
  // What the console could not read means nothing to an administrator.
  expect(screen.queryByText(/is not what the contract says/)).toBeNull();
  fireEvent.keyDown(question.getByRole('button', { name: 'Not yet' }), { key: 'Escape' });
  await waitFor(() => expect(screen.queryByText(UPDATED)).toBeNull());
  expect(within(form).getByLabelText<HTMLInputElement>(/^Name/).value).toBe('office');
  answer('POST /api/nodes', unknown);
  await press('Save');
  fireEvent.click(within(await dialog(UPDATED)).getByRole('button', { name: 'Reload' }));
  expect(reload).toHaveBeenCalledOnce();
});

const TYPES = ['info', 'error', 'success', 'warning'] as const;
const lookOf = (message: string) => screen.getByText(message).previousElementSibling?.getAttribute('class') ?? '';

it('draws each type in its own way; without a type it is an info', async () => {
  await openConsole({ path: '/login', session: 'none' });
  await screen.findByRole('button', { name: 'Sign in' });
  act(() => TYPES.forEach((each) => toasts.show(each, each)));
  act(() => void toasts.show('plain'));
  expect(new Set(TYPES.map(lookOf)).size).toBe(4);
  expect(lookOf('plain')).toBe(lookOf('info'));
  // Only an error is urgent enough to interrupt what is being read out.
  expect(screen.getByRole('alert').textContent).toBe('error');
});

it('closes the toast whose button is pressed', async () => {
  await openConsole({ path: '/login', session: 'none' });
  await screen.findByRole('button', { name: 'Sign in' });
  act(() => void toasts.show('Saved'));
  await press('Close notification');
  expect(screen.queryByText('Saved')).toBeNull();
});
