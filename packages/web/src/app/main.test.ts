import { screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { reported } from '../testing/openConsole.tsx';

afterEach(() => {
  document.body.replaceChildren();
  vi.doUnmock('./start.tsx');
  vi.resetModules();
});

it('leaves no blank page when the console itself cannot be fetched', async () => {
  document.body.innerHTML = '<div id="root"></div>';
  const failure = new TypeError('Failed to fetch dynamically imported module');
  vi.doMock('./start.tsx', () => ({
    start: () => {
      throw failure;
    },
  }));
  await import('./main.ts');
  const said = await screen.findByRole('alert');
  expect(said.textContent).toContain('The console could not be loaded');
  expect(screen.getByRole('button', { name: 'Try again' })).toBeDefined();
  expect(reported).toEqual([failure]);
});
