import { groupKey } from '@sallyport/sdk';
import { act, waitFor } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { queriesOf } from '../data/queries.ts';
import { openConsole, press } from '../testing/openConsole.tsx';

const icon = Object.assign(document.createElement('link'), { rel: 'icon' });
const USUAL = 'data:image/svg+xml,usual';
const TROUBLE = '/favicon-trouble.svg';
const tab = () => [document.title, icon.getAttribute('href')];
// It is loaded after the rest.
const PATIENCE = { timeout: 20_000 };

/** The console, with the page's icon as the build has it. */
async function openWithIcon(path: string) {
  icon.setAttribute('href', USUAL);
  document.head.append(icon);
  const opened = await openConsole({ path });
  // No host has joined its node yet, so that it is down.
  const { edgeId, wikiId } = opened.ids;
  await opened.connection.client.httpService.disable({ params: { nodeId: edgeId, id: wikiId } });
  const queries = queriesOf(opened.connection);
  /** What asking again at its time finds out. */
  const askAgain = () =>
    act(async () => {
      await queries.invalidateQueries({ queryKey: groupKey('service') });
      await queries.invalidateQueries({ queryKey: groupKey('node') });
    });
  return { ...opened, askAgain };
}

afterEach(() => icon.remove());

it('counts in the title what is down or cannot be served, with a dot on the icon, until all is well again', async () => {
  const { gateway, ids, connection, askAgain, router } = await openWithIcon('/services');
  await waitFor(() => expect(tab()).toEqual(['Services · Sallyport', USUAL]), PATIENCE);
  gateway.backends.set('127.0.0.1:9090', 'Nothing listens on 127.0.0.1:9090.');
  const params = { nodeId: 1, id: ids.appId };
  const { backendPort } = await connection.client.httpService.get({ params });
  await connection.client.httpService.update({ params, body: { backendPort: 9090 } });
  await askAgain();
  await waitFor(() => expect(tab()).toEqual(['(1) Services · Sallyport', TROUBLE]), PATIENCE);

  gateway.world.setNodeRuntime(ids.edgeId, { latestHandshakeTimestamp: Date.now() - 7_260_000 });
  await askAgain();
  await waitFor(() => expect(tab()).toEqual(['(2) Services · Sallyport', TROUBLE]), PATIENCE);
  await act(() => router.navigate({ to: '/domains' }));
  await waitFor(() => expect(tab()).toEqual(['(2) Domain Names · Sallyport', TROUBLE]), PATIENCE);

  await connection.client.httpService.update({ params, body: { backendPort } });
  gateway.world.setNodeRuntime(ids.edgeId, { status: 'online', latestHandshakeTimestamp: Date.now() });
  await askAgain();
  await waitFor(() => expect(tab()).toEqual(['Domain Names · Sallyport', USUAL]), PATIENCE);
});

it('does not miss a node that was disconnected or never joined, and is silent once the session ends', async () => {
  const { gateway, ids, connection, askAgain } = await openWithIcon('/nodes');
  const silent = { latestHandshakeTimestamp: Date.now() - 7_260_000 };
  gateway.world.setNodeRuntime(ids.edgeId, silent);
  await connection.client.node.disable({ params: { id: ids.edgeId } });
  await askAgain();
  await waitFor(() => expect(tab()).toEqual(['Client / Nodes · Sallyport', USUAL]), PATIENCE);
  gateway.world.setNodeRuntime(ids.siteId, silent);
  await askAgain();
  await waitFor(() => expect(tab()).toEqual(['(1) Client / Nodes · Sallyport', TROUBLE]), PATIENCE);
  await press('Sign out');
  await waitFor(() => expect(tab()).toEqual(['Sign in · Sallyport', USUAL]), PATIENCE);
});
