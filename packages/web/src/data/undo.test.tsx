import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { toasts } from '../state/toasts.ts';
import { choose, openConsole, press } from '../testing/openConsole.tsx';

const DISABLED = 'Service disabled from public access successfully!';
const writesOf = (requests: readonly string[]) => requests.filter((request) => !request.startsWith('GET '));

/** The console at a list of services, `App` just having been disabled. */
async function disableApp() {
  const opened = await openConsole({ path: '/services' });
  await choose('App', 'Disable Access');
  await press('Yes, disable public access!');
  await screen.findByText(DISABLED);
  const { gateway, ids } = opened;
  return { ...opened, app: () => gateway.store.httpServices.get(ids.appId), params: { nodeId: 1, id: ids.appId } };
}

it('takes back that a service was disabled, with the version that the gateway answered', async () => {
  const { app, requests } = await disableApp();
  const before = await app();
  await press('Undo');
  await screen.findByText('Service exposed successfully!');
  expect(await app()).toMatchObject({ enabled: true, version: (before?.version ?? 0) + 1 });
  expect(writesOf(requests).map((request) => request.split('/').at(-1))).toEqual(['disable', 'enable']);
  // What was undone is not undone in turn.
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull();
  expect(screen.queryByText(DISABLED)).toBeNull();
});

it('takes back that a node was connected or disconnected, by the key as well', async () => {
  const { gateway, ids } = await openConsole({ path: '/nodes' });
  const edge = () => gateway.store.nodes.get(ids.edgeId);
  await choose('edge', 'Disconnect');
  await press('Yes, disconnect!');
  await screen.findByText('Node disconnected successfully!');
  // In a field it takes back what was typed.
  fireEvent.keyDown(screen.getByLabelText('Search nodes'), { key: 'z', ctrlKey: true });
  expect(screen.getByText('Node disconnected successfully!')).toBeDefined();
  fireEvent.keyDown(document.body, { key: 'z', ctrlKey: true });
  await screen.findByText('Node connected successfully!');
  expect(await edge()).toMatchObject({ enabled: true });
  expect(screen.queryByText('Node disconnected successfully!')).toBeNull();
  fireEvent.keyDown(document.body, { key: 'z', ctrlKey: true });
  expect(await edge()).toMatchObject({ enabled: true });
});

it('takes back by the key also where a box has the focus, as after many were selected', async () => {
  const { app } = await disableApp();
  const box = screen.getByRole('checkbox', { name: /^Select App, / });
  fireEvent.keyDown(box, { key: 'z', ctrlKey: true });
  await screen.findByText('Service exposed successfully!');
  expect(await app()).toMatchObject({ enabled: true });
});

it('changes nothing when someone else changed it meanwhile, and says so', async () => {
  const { app, connection, params } = await disableApp();
  await connection.client.httpService.update({ params, body: { name: 'Renamed' } });
  await press('Undo');
  await screen.findByText('App was changed again in the meantime, so nothing was undone.');
  expect(await app()).toMatchObject({ enabled: false, name: 'Renamed' });
});

it('offers no way back where that would not make it as it was', async () => {
  const { connection, gateway, ids } = await openConsole({ path: '/services' });
  const params = { nodeId: 1, id: ids.appId };
  await connection.client.httpService.update({ params, body: { ttl: '1h' } });
  await waitFor(() => expect(screen.getAllByText(/^Closes/).length).toBeGreaterThan(0), { timeout: 20_000 });
  await choose('App', 'Disable Access');
  await press('Yes, disable public access!');
  await screen.findByText(DISABLED);
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull();
  expect(await gateway.store.httpServices.get(ids.appId)).toMatchObject({ enabled: false });
});

it('stays for ten seconds, and as long as the pointer or the focus is on it', async () => {
  await disableApp();
  const [toast] = toasts.get();
  expect(toast?.durationMs).toBe(10_000);
  vi.useFakeTimers();
  try {
    const region = screen.getByRole('region', { name: 'Notifications' });
    fireEvent.pointerOver(region);
    fireEvent.focusIn(within(region).getByRole('button', { name: 'Undo' }));
    fireEvent.pointerLeave(region);
    act(() => void vi.advanceTimersByTime(60_000));
    expect(screen.getByText(DISABLED)).toBeDefined();
    fireEvent.focusOut(within(region).getByRole('button', { name: 'Undo' }));
    act(() => void vi.advanceTimersByTime(10_000));
    expect(screen.queryByText(DISABLED)).toBeNull();
  } finally {
    vi.useRealTimers();
  }
});

it('withdraws the offer when the same service is changed again from here, or the session ends', async () => {
  const { connection } = await disableApp();
  await screen.findByText('Closed');
  await choose('App', 'Enable Access');
  await press('Yes, enable public access!');
  await screen.findByText('Service exposed successfully!');
  expect(screen.queryByText(DISABLED)).toBeNull();
  await act(async () => void (await connection.session.end('/services')));
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull());
});
