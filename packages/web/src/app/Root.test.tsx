import { act, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { toasts } from '../state/toasts.ts';
import { openConsole, press } from '../testing/openConsole.tsx';

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
