import { fireEvent, render, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { ToastList, type ToastItem } from './ToastList.tsx';

const TYPES = ['info', 'error', 'success', 'warning'] as const;
const lookOf = (message: string) => screen.getByText(message).previousElementSibling?.getAttribute('class') ?? '';

it('draws each type in its own way; without a type it is an info', () => {
  const typed = TYPES.map((type): ToastItem => ({ id: type, message: type, type }));
  render(<ToastList toasts={[...typed, { id: 5, message: 'plain' }]} onClose={() => undefined} />);
  expect(new Set(TYPES.map(lookOf)).size).toBe(4);
  expect(lookOf('plain')).toBe(lookOf('info'));
  // Only an error is urgent enough to interrupt what is being read out.
  expect(screen.getByRole('alert').textContent).toBe('error');
});

it('closes the toast whose button is pressed', () => {
  const onClose = vi.fn<(id: ToastItem['id']) => void>();
  render(<ToastList toasts={[{ id: 7, message: 'Saved' }]} onClose={onClose} />);
  fireEvent.click(screen.getByRole('button', { name: 'Close notification' }));
  expect(onClose).toHaveBeenCalledExactlyOnceWith(7);
});
