import { render, screen, waitFor, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { dialog, press } from '../../testing/gestures.ts';
import { reported } from '../../testing/openConsole.tsx';
import { TokenResultDialog } from './TokenResultDialog.tsx';

const created = {
  id: 1,
  nodeId: 2,
  name: 'ci',
  expireAt: null,
  revoked: false,
  lastUsedAt: null,
  token: 'spn_secret',
  version: 1,
  created_at: '2026-11-21T12:00:00.000Z',
  updated_at: '2026-11-21T12:00:00.000Z',
};

it('says that the token was created and is not shown again, and what it is for', async () => {
  render(<TokenResultDialog created={created} onClose={() => undefined} />);
  const shown = within(await dialog('New Access Token Generated'));
  shown.getByText('The personal access token was created. Store it securely now: it is not shown again.');
  const guides = shown.getAllByRole('link').map((link) => [link.textContent, link.getAttribute('href')]);
  expect(guides).toEqual([
    ['CLI tool', '/docs/cli'],
    ['Docker client image', '/docs/docker'],
    ['Kubernetes chart', '/docs/kubernetes'],
  ]);
});

it('only logs that the clipboard refused, and takes the tick back', async () => {
  const refused = new Error('not allowed');
  const write = vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(refused);
  render(<TokenResultDialog created={created} onClose={() => undefined} />);
  await press('Copy the token');
  await waitFor(() => expect(reported).toEqual([refused]));
  expect(screen.getByRole('button', { name: 'Copy the token' })).toBeDefined();
  expect(write).toHaveBeenCalledExactlyOnceWith('spn_secret');
  write.mockRestore();
});
