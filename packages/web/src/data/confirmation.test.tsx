import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { choose, openConsole } from '../testing/openConsole.tsx';

it.each([
  ['Disconnect', /^Yes, disconnect/, false],
  ['Delete Node', /delete/i, true],
])('is red only where something is lost: %s', async (action, accept, isRed) => {
  await openConsole({ path: '/nodes' });
  await choose('edge', action);
  const question = await screen.findByRole('alertdialog');
  const button = screen.getByRole('button', { name: accept });
  expect(button.className.includes('danger')).toBe(isRed);
  expect(question.innerHTML.includes('danger')).toBe(isRed);
});
