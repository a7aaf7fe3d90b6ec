import { screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { press } from '../../testing/gestures.ts';
import { openConsole } from '../../testing/openConsole.tsx';
import { wrapping } from './logSettings.ts';

const breaks = () =>
  screen.getByRole('region', { name: 'Real time logs of app.example.test' }).className.includes('whitespace-pre-wrap');

afterEach(() => vi.restoreAllMocks());

it('breaks long lines by itself on a screen too narrow for most of them', async () => {
  wrapping.set('auto');
  const real = globalThis.matchMedia.bind(globalThis);
  const narrow = real('all');
  vi.spyOn(globalThis, 'matchMedia').mockImplementation((query) =>
    query === '(width < 64rem)' ? narrow : real(query),
  );
  await openConsole({ path: '/domains/app.example.test/logs' });
  await screen.findByText('Live');
  expect(breaks()).toBe(true);
});

it('breaks long lines when asked, and the next time too', async () => {
  wrapping.set('auto');
  await openConsole({ path: '/domains/app.example.test/logs' });
  await screen.findByText('Live');
  expect(breaks()).toBe(false);
  await press('Wrap long lines');
  expect(breaks()).toBe(true);
  expect(screen.getByRole('button', { name: 'Wrap long lines' }).getAttribute('aria-pressed')).toBe('true');
  expect(localStorage.getItem('log-wrap')).toBe('on');
  await press('Wrap long lines');
  expect([breaks(), localStorage.getItem('log-wrap')]).toEqual([false, 'off']);
});
