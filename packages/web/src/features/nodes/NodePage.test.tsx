import { screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { press } from '../../testing/gestures.ts';
import { openConsole } from '../../testing/openConsole.tsx';

it('shows what the node is and replaces it with each message of its stream', async () => {
  const { gateway, ids } = await openConsole({ path: '/nodes/3' });
  await screen.findByRole('heading', { name: 'site' });
  expect(ids.siteId).toBe(3);
  expect(screen.getByText('192.0.2.0/24')).toBeDefined();
  expect(screen.getByText('Offline')).toBeDefined();
  gateway.world.setNodeRuntime(ids.siteId, { status: 'online', clientIp: '203.0.113.77' });
  await screen.findByText('Online');
  expect(screen.getByText('203.0.113.77')).toBeDefined();
  expect(document.title).toBe('site · Sallyport');
});

it('stays closed when the stream breaks off, says so, and goes on when asked', async () => {
  const { answer, requests, ids, gateway } = await openConsole({ path: '/' });
  await screen.findByRole('heading', { name: 'Welcome to Sallyport' });
  answer('GET /api/nodes/stream', () => Promise.reject(new TypeError('connection reset')));
  (await screen.findByRole('link', { name: 'Client / Nodes' })).click();
  await screen.findByRole('link', { name: 'edge' });
  // The list's own stream took that answer and came back; the node's never does by itself.
  answer('GET /api/nodes/stream', () => Promise.reject(new TypeError('connection reset')));
  screen.getByRole('link', { name: 'edge' }).click();
  await screen.findByText('Live updates have stopped.');
  const streams = () => requests.filter((request) => request === `GET /api/nodes/stream?id=${ids.edgeId}`).length;
  expect(streams()).toBe(1);
  await press('Resume');
  await waitFor(() => expect(screen.queryByText('Live updates have stopped.')).toBeNull());
  expect(streams()).toBe(2);
  gateway.world.setNodeRuntime(ids.edgeId, { status: 'idle' });
  await screen.findByText('Idle');
});

it.each(['9999', 'abc', '0'])('says that there is no node %s, with the way back', async (id) => {
  await openConsole({ path: `/nodes/${id}` });
  await screen.findByText(`There is no node ${id}`);
  expect(screen.getByRole('link', { name: 'Back to Client / Nodes' }).getAttribute('href')).toBe('/nodes');
});
