import { act, fireEvent, render, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { RelativeTime } from './RelativeTime.tsx';

const time = () => screen.getByText('2 minutes ago');

it('tells the exact time with its zone on hover and on keyboard focus, and describes itself by it', async () => {
  render(<RelativeTime at="2026-11-21T07:10:11.000Z">2 minutes ago</RelativeTime>);
  expect([time().tabIndex, time().getAttribute('datetime')]).toEqual([0, '2026-11-21T07:10:11.000Z']);
  // This document does not know by what the focus came.
  vi.spyOn(time(), 'matches').mockImplementation((selector) => selector === ':focus-visible');
  act(() => time().focus());
  const tip = await screen.findByRole('tooltip');
  expect(tip.textContent).toBe('11/21/2026, 07:10:11 UTC');
  expect(time().getAttribute('aria-describedby')).toBe(tip.id);
  act(() => time().blur());
  await vi.waitFor(() => expect(screen.queryByRole('tooltip')).toBeNull());

  fireEvent.pointerEnter(time(), { pointerType: 'mouse' });
  expect((await screen.findByRole('tooltip')).textContent).toBe('11/21/2026, 07:10:11 UTC');
});
