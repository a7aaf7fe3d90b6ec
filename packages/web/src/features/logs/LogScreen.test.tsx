import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openConsole, press, refusal } from '../../testing/openConsole.tsx';
import { holdFrames, paint, painted } from '../../testing/logFrames.ts';
import { keptLines, logView, wrapping } from './LogToolbar.tsx';

beforeEach(() => {
  holdFrames();
  keptLines.set('1000');
  logView.set('lines');
  wrapping.set('off');
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const shown = () => [...document.querySelectorAll<HTMLElement>('[data-line]')];
const textShown = () => shown().map(({ textContent }) => textContent);
const request = (path: string, status: number) =>
  `2026-11-21T07:10:11.123Z ${status >= 500 ? 'ERROR' : 'INFO'} 203.0.113.7 "GET ${path} HTTP/1.1" ${status} 1 1ms -`;

async function openLog() {
  const opened = await openConsole({ path: '/domains/app.example.test/logs' });
  const key = { kind: 'domain', id: opened.ids.domainId } as const;
  const push = (...lines: string[]) => opened.gateway.system.logs.push(key, lines);
  push('the first line');
  await screen.findByText('Live');
  await painted(() => expect(textShown()).toContain('the first line'));
  return { ...opened, push };
}

const brokenStream = (data: string) => () =>
  new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(data));
        controller.close();
      },
    }),
    { headers: { 'content-type': 'text/event-stream' } },
  );

it('shows history and new lines, coloured by level, with what a visitor wrote as text', async () => {
  const { push } = await openLog();
  push(
    '[ERROR] the disk is full',
    'WARN slowly',
    'INFO all well',
    'DEBUG here',
    'plain \u001b[31m<img src=x onerror=alert(1)>',
  );
  await painted(() => expect(textShown()).toContain('plain \\x1b[31m<img src=x onerror=alert(1)>'));
  const levels = Object.fromEntries(shown().map(({ textContent, dataset }) => [textContent, dataset['level']]));
  expect(levels).toMatchObject({
    '[ERROR] the disk is full': 'error',
    'WARN slowly': 'warn',
    'INFO all well': 'info',
    'DEBUG here': 'debug',
    'the first line': 'neutral',
  });
  expect(document.querySelector('[data-line] img')).toBeNull();
});

it('names the way back to the domain or the node', async () => {
  const { router, ids } = await openLog();
  const steps = () => [...screen.getByRole('navigation', { name: 'Breadcrumb' }).querySelectorAll('li')];
  expect(steps().map(({ textContent }) => textContent)).toEqual(['Domains', 'app.example.test', 'Real Time Logs']);
  const params = { nodeId: '1', type: 'http', id: String(ids.appId) };
  await act(() => router.navigate({ to: '/nodes/$nodeId/$type/$id/logs', params }));
  await waitFor(() =>
    expect(steps().map(({ textContent }) => textContent)).toEqual(['Nodes', 'HTTP Services', 'Real Time Logs']),
  );
  expect(screen.getByRole('link', { name: 'HTTP Services' })).toHaveProperty('pathname', '/nodes/1');
});

it('keeps 1000 lines, draws only those in sight, and follows the end', async () => {
  const { push } = await openLog();
  push(...Array.from({ length: 1200 }, (_, count) => `line ${count}`));
  await painted(() => expect(textShown().at(-1)).toBe('line 1199'));
  const panel = screen.getByRole('region', { name: 'Real time logs of app.example.test' });
  // What scrolls is as high as all of them.
  const [before, after] = [...panel.querySelectorAll<HTMLElement>('[style*="height"]')].map(({ style }) =>
    Number.parseInt(style.height, 10),
  );
  expect((before ?? 0) + 20 * shown().length + (after ?? 0)).toBe(20_000);
  expect(shown().length).toBeLessThan(40);
  expect(screen.getByText('1,000 lines', { selector: 'span' })).toBeDefined();
});

it('begins with as much history as is kept, remembers how much that is, and never asks for more than there can be', async () => {
  const { requests } = await openLog();
  const streams = () => requests.filter((one) => one.startsWith('GET /api/logs/stream'));
  expect(streams().at(-1)).toContain('lines=1000');
  fireEvent.change(screen.getByLabelText('Keep at most'), { target: { value: '100000' } });
  await waitFor(() => expect(streams().at(-1)).toContain('lines=10000'));
  expect(localStorage.getItem('log-lines')).toBe('100000');
  await painted(() => expect(textShown()).toEqual(['the first line']));
});

it('leads to live from a match, paused or not, with what waits', async () => {
  const { push } = await openLog();
  fireEvent.change(screen.getByLabelText('Search the lines'), { target: { value: 'first' } });
  fireEvent.keyDown(screen.getByLabelText('Search the lines'), { key: 'Enter' });
  await press('Pause');
  push('second');
  await painted(() => expect(screen.getByRole('button', { name: /^Jump to live ?\(1 new\)$/ })).toBeDefined());
  await press(/Jump to live/);
  await painted(() => expect(textShown()).toEqual(['the first line', 'second']));
  expect(screen.getByText('Live')).toBeDefined();
  expect(screen.queryByRole('button', { name: /Jump to live/ })).toBeNull();
});

it('offers no way to the end where the last line is in view', async () => {
  await openLog();
  fireEvent.change(screen.getByLabelText('Search the lines'), { target: { value: 'first' } });
  fireEvent.keyDown(screen.getByLabelText('Search the lines'), { key: 'Enter' });
  await painted(() => expect(document.querySelector('[data-current]')).not.toBeNull());
  expect(screen.getByText('Live')).toBeDefined();
  expect(screen.queryByRole('button', { name: /Jump to live/ })).toBeNull();
});

it('searches with highlight, and goes from match to match and round', async () => {
  const { push } = await openLog();
  push('alpha <b>', 'beta', 'ALPHA again');
  await painted(() => expect(textShown()).toHaveLength(4));
  const field = screen.getByLabelText('Search the lines');
  fireEvent.change(field, { target: { value: 'alpha' } });
  await painted(() => expect(screen.getByText('2 lines')).toBeDefined());
  expect([...document.querySelectorAll('mark')].map(({ textContent }) => textContent)).toEqual(['alpha', 'ALPHA']);
  const current = () => document.querySelector('[data-current]')?.textContent;
  fireEvent.keyDown(field, { key: 'Enter' });
  expect([current(), screen.getByText('1 of 2').textContent]).toEqual(['alpha <b>', '1 of 2']);
  fireEvent.keyDown(field, { key: 'Enter', shiftKey: true });
  expect(current()).toBe('ALPHA again');
  await press('Next match');
  expect(current()).toBe('alpha <b>');
  fireEvent.keyDown(field, { key: 'Escape' });
  await painted(() => expect(document.querySelector('mark')).toBeNull());
});

it('narrows down to levels and classes of status, and says when nothing is left', async () => {
  const { push } = await openLog();
  push(request('/a', 200), request('/b', 404), request('/c', 502));
  await painted(() => expect(textShown()).toHaveLength(4));
  fireEvent.click(screen.getByRole('checkbox', { name: '5xx' }));
  await painted(() => expect(textShown()).toEqual([request('/c', 502)]));
  expect(screen.getByText('Showing 1 of 4 lines')).toBeDefined();
  fireEvent.click(screen.getByRole('checkbox', { name: 'Debug' }));
  await painted(() => expect(screen.getByText('No line passes the filters')).toBeDefined());
  // On a phone the choices are folded away.
  expect(screen.getByRole('button', { name: /^Filter/ }).textContent).toBe('Filter(2)');
  fireEvent.click(screen.getAllByRole('button', { name: 'Show all' })[0] ?? document.body);
  await painted(() => expect(textShown()).toHaveLength(4));
});

it('clears the panel, and brings the history back when asked', async () => {
  const { push } = await openLog();
  await press('Clear the panel');
  await painted(() => expect(screen.getByText('Cleared')).toBeDefined());
  push('after that');
  await painted(() => expect(textShown()).toEqual(['after that']));
  await press('Clear the panel');
  paint();
  await press('Show the history again');
  await painted(() => expect(textShown()).toEqual(['the first line', 'after that']));
});

it('comes back after a second, keeps what it has, and marks where lines may be missing', async () => {
  const { answer, router, requests } = await openConsole({ path: '/' });
  answer('GET /api/logs/stream', brokenStream('data: ["before the break"]\n\n'));
  await router.navigate({ to: '/domains/$domain/logs', params: { domain: 'app.example.test' } });
  await screen.findByText('Reconnecting');
  await screen.findByText('Live');
  await painted(() => expect(textShown().at(-1)).toContain('lines in between may be missing'));
  expect(textShown()[0]).toBe('before the break');
  expect(requests.filter((one) => one.startsWith('GET /api/logs/stream'))).toHaveLength(2);
});

it('has no mark where the stream goes on where it stopped', async () => {
  const { gateway, ids, answer, router } = await openConsole({ path: '/' });
  const [line] = gateway.system.logs.push({ kind: 'domain', id: ids.domainId }, ['before the break']);
  answer('GET /api/logs/stream', brokenStream(`id: ${line?.id}\ndata: ["before the break"]\n\n`));
  gateway.system.logs.push({ kind: 'domain', id: ids.domainId }, ['meanwhile']);
  await router.navigate({ to: '/domains/$domain/logs', params: { domain: 'app.example.test' } });
  await screen.findByText('Reconnecting');
  await painted(() => expect(textShown()).toEqual(['before the break', 'meanwhile']));
});

it('says that there is no such domain or service, with a way back', async () => {
  const { router, ids } = await openConsole({ path: '/domains/nope.example.test/logs' });
  await screen.findByRole('heading', { name: 'There is no domain nope.example.test' });
  expect(screen.getByRole('link', { name: 'Back to Domain Names' })).toHaveProperty('pathname', '/domains');
  // The service is there, but it is not that node's.
  const params = { nodeId: String(ids.siteId), type: 'http', id: String(ids.appId) };
  await act(() => router.navigate({ to: '/nodes/$nodeId/$type/$id/logs', params }));
  await screen.findByRole('heading', { name: `There is no HTTP service ${ids.appId} of node ${ids.siteId}` });
  expect(screen.getByRole('link', { name: 'Back to Client / Nodes' })).toHaveProperty('pathname', '/nodes');
});

it('ends when the node of the service is deleted, and keeps what came before', async () => {
  const { connection, gateway, ids, router } = await openConsole({ path: '/' });
  const params = { nodeId: ids.edgeId };
  const body = { name: 'Shop', domain: 'shop.example.test', backendPort: 8080 };
  const { id } = await connection.client.httpService.create({ params, body });
  const at = { nodeId: String(ids.edgeId), type: 'http', id: String(id) };
  await router.navigate({ to: '/nodes/$nodeId/$type/$id/logs', params: at });
  await screen.findByText('Live');
  gateway.system.logs.push({ kind: 'http', id }, ['the first line']);
  await painted(() => expect(textShown()).toEqual(['the first line']));
  await connection.client.node.remove({ params: { id: ids.edgeId } });
  await screen.findByText('Ended');
  expect(screen.getByText('Shop was deleted')).toBeDefined();
  expect(textShown()).toEqual(['the first line']);
});

it('stops for good where coming back cannot help, says why, and tries again when asked', async () => {
  const { answer, router, requests } = await openConsole({ path: '/' });
  answer('GET /api/logs/stream', brokenStream('data: ["before the break"]\n\n'));
  answer('GET /api/logs/stream', () => refusal(409, { message: 'Another one is on its way.' }));
  await router.navigate({ to: '/domains/$domain/logs', params: { domain: 'app.example.test' } });
  await screen.findByText('Stopped');
  expect(screen.getByRole('alert').textContent).toContain('The log has stoppedAnother one is on its way.');
  expect(screen.getByRole('button', { name: 'Pause' })).toHaveProperty('disabled', true);
  // What came before is still there to be read.
  await painted(() => expect(textShown()).toEqual(['before the break']));
  const streams = () => requests.filter((one) => one.startsWith('GET /api/logs/stream')).length;
  expect(streams()).toBe(2);
  await press('Try again');
  await screen.findByText('Live');
  expect(screen.queryByText('The log has stopped')).toBeNull();
  expect(streams()).toBe(3);
});

it('offers no other try where the gateway keeps no logs, and says that there is none', async () => {
  const { answer, router } = await openConsole({ path: '/' });
  answer('GET /api/logs/stream', () => refusal(501, { message: 'This gateway keeps no logs.' }));
  await router.navigate({ to: '/domains/$domain/logs', params: { domain: 'app.example.test' } });
  await screen.findByText('No logs are kept here');
  expect(screen.getByText(/^This gateway keeps no logs\. Update it/)).toBeDefined();
  expect(screen.getByRole('link', { name: 'About this Gateway' }).getAttribute('href')).toBe('/settings/about');
  // It is meant so: nothing is alarming, and nothing is there that does nothing.
  expect(screen.queryByRole('alert')).toBeNull();
  for (const name of ['Try again', 'Pause', 'Clear the panel'])
    expect(screen.queryByRole('button', { name })).toBeNull();
  expect(screen.queryByLabelText('Search the lines')).toBeNull();
});

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
