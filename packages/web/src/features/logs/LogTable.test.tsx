import { act, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openConsole, press } from '../../testing/openConsole.tsx';
import { holdFrames, painted } from '../../testing/logFrames.ts';
import { clockTime, exactTimes, formatDuration } from './LogTable.tsx';
import { logView, logZone } from './LogToolbar.tsx';

beforeEach(() => {
  holdFrames();
  logView.set('table');
  logZone.set('utc');
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const today = new Date().toISOString().slice(0, 10);
const request = (path: string, status: number, details: object = {}, visitor = '203.0.113.7') =>
  `${today}T07:10:11.123Z ${status >= 500 ? 'ERROR' : 'INFO'} ${visitor} "GET ${path} HTTP/2.0" ${status} 2048 1234ms 10.88.0.2:8080\n${JSON.stringify(details)}`;

const rows = () =>
  [...document.querySelectorAll('[data-line]')].map(({ textContent }) => textContent.trim().split(/ {2,}/));
const facts = () =>
  Object.fromEntries(
    [...screen.getByRole('complementary', { name: 'Details of the line' }).querySelectorAll('dt')].map((term) => [
      term.textContent,
      term.nextElementSibling?.textContent,
    ]),
  );

async function openLog(lines: readonly string[] = []) {
  const opened = await openConsole({ path: '/domains/app.example.test/logs' });
  const push = (...more: string[]) =>
    opened.gateway.system.logs.push({ kind: 'domain', id: opened.ids.domainId }, more);
  push(...lines);
  await screen.findByText('Live');
  await painted(() => expect(rows()).toHaveLength(lines.length));
  return { ...opened, push };
}

it('has the parts of a request in columns, and a line of another form as it is', async () => {
  await openLog([request('/reports?month=11', 200), 'INFO \u001b[31mplain']);
  expect(rows()).toEqual([
    [expect.any(String), '200', 'GET', '/reports?month=11', '203.0.113.7', '1.2 s', '2.00 KB', '10.88.0.2:8080'],
    ['INFO \\x1b[31mplain'],
  ]);
  expect(screen.getByRole('heading', { level: 1, name: 'app.example.test' })).toBeDefined();
});

it('gives a line that is no request the colour of its level, as it has among lines', async () => {
  await openLog(['WARN w', 'INFO i', 'DEBUG d', 'ERROR e', request('/a', 200)]);
  const looks = [...document.querySelectorAll('[data-line]')].map(({ className }) =>
    className.split(' ').filter((name) => name.startsWith('text-log-')),
  );
  // Of a request, the status has the colour.
  expect(looks).toEqual([['text-log-warn'], ['text-log-info'], ['text-log-debug'], ['text-log-error'], []]);
});

it('tells the exact time on hover, in the zone of the browser and in UTC', async () => {
  await openLog(['2026-11-22T07:10:11.123Z INFO 203.0.113.7 "GET /a HTTP/2.0" 200 2048 1ms 10.88.0.2:8080']);
  fireEvent.mouseEnter(document.querySelector('time') ?? document.body);
  expect(document.querySelector('time')?.title).toBe(exactTimes('2026-11-22T07:10:11.123Z'));
  expect(exactTimes('2026-11-22T07:10:11.123Z', 'Asia/Tokyo')).toBe(
    '11/22/2026, 16:10:11 GMT+9 (11/22/2026, 07:10:11 UTC)',
  );
  expect(exactTimes('2026-11-22T07:10:11.123Z', 'UTC')).toBe('11/22/2026, 07:10:11 UTC');
});

it('marks what is searched for in every column in which it stands, also where it begins in one and ends in another', async () => {
  await openLog([request(String.raw`/a\"200/b`, 200), request('/200/\u202efiles', 200), request('/other', 404)]);
  const marks = () => [...document.querySelectorAll('[data-line] mark')].map(({ textContent }) => textContent);
  const searched = async (text: string, expected: string[]) => {
    fireEvent.change(screen.getByLabelText('Search the lines'), { target: { value: text } });
    await painted(() => expect(marks()).toEqual(expected));
  };
  await searched('200', ['200', '200', '200', '200']);
  await searched('get /2', ['GET', '/2']);
  await searched('files', ['files']);
  await searched('203.0.113.7 "get /o', ['GET', '/o', '203.0.113.7']);
});

it('cuts what is longer than its column, marks what is left of it, and tells all of it in the details', async () => {
  const visitor = '2001:db8:1234:5678:9abc:def0:1234:5678';
  await openLog([request('/a', 200, {}, visitor)]);
  expect(rows()[0]?.[4]).toBe('2001:db8:1234:…');
  fireEvent.change(screen.getByLabelText('Search the lines'), { target: { value: '1234:5678:9' } });
  await painted(() => expect(document.querySelector('[data-line] mark')?.textContent).toBe('1234:'));
  expect(rows()[0]?.[4]).toBe('2001:db8:1234:…');
  fireEvent.click(screen.getByText('/a'));
  expect(facts()).toMatchObject({ Visitor: visitor });
});

it('shows the same lines as text when asked, and remembers that', async () => {
  await openLog([request('/a', 200, { host: 'app.example.test' })]);
  fireEvent.click(screen.getByRole('radio', { name: 'Lines' }));
  await painted(() =>
    expect(document.querySelector('[data-line]')?.textContent).toMatch(/"GET \/a HTTP\/2.0" 200 2048/),
  );
  expect(document.querySelector('[data-line]')?.textContent).not.toContain('host');
  expect(localStorage.getItem('log-view')).toBe('lines');
});

it('tells everything known about a request by a click or by keys, until it is closed', async () => {
  const details = { host: 'app.example.test', agent: 'curl/8 \u202e', received: 1536, backendMilliseconds: 1400 };
  await openLog([request('/a', 200), request('/b', 503, details)]);
  fireEvent.click(screen.getByText('/b'));
  expect(facts()).toMatchObject({
    Path: '/b',
    Host: 'app.example.test',
    Protocol: 'HTTP/2.0',
    Visitor: '203.0.113.7',
    'User agent': 'curl/8 \\u202e',
    Duration: '1.2 s',
    // Never longer than the whole, whatever the clocks say.
    'Backend took': '1.2 s',
    Received: '1.50 KB',
  });
  const panel = screen.getByRole('listbox', { name: 'Real time logs of app.example.test' });
  fireEvent.keyDown(panel, { key: 'ArrowUp' });
  expect(facts()).toMatchObject({ Path: '/a' });
  expect(facts()).not.toHaveProperty('Host');
  expect(within(panel).getByRole('option', { selected: true }).id).toBe(panel.getAttribute('aria-activedescendant'));
  fireEvent.keyDown(panel, { key: 'Escape' });
  expect(screen.queryByRole('complementary', { name: 'Details of the line' })).toBeNull();
});

it('keeps the details of a line that has fallen out of the buffer', async () => {
  const { push } = await openLog([request('/first', 200)]);
  fireEvent.click(screen.getByText('/first'));
  push(...Array.from({ length: 1001 }, (_, index) => request(`/${index}`, 200)));
  await painted(() => expect(rows().flat()).not.toContain('/first'));
  expect(facts()).toMatchObject({ Path: '/first' });
});

it('narrows down to one visitor, path or status, and to several at once', async () => {
  await openLog([request('/a', 200), request('/b', 200, {}, '203.0.113.9'), request('/a', 404, {}, '203.0.113.9')]);
  const paths = () => rows().map(([, status, , path]) => `${status} ${path}`);
  fireEvent.click(screen.getByText('/b'));
  await press('Only this visitor');
  await painted(() => expect(paths()).toEqual(['200 /b', '404 /a']));
  await press('Only this status');
  await painted(() => expect(paths()).toEqual(['200 /b']));
  await press('Show every visitor, not only 203.0.113.9');
  await painted(() => expect(paths()).toEqual(['200 /a', '200 /b']));
  fireEvent.click(screen.getAllByRole('button', { name: 'Show all' })[0] ?? document.body);
  await painted(() => expect(paths()).toHaveLength(3));
});

it('blocks the address of a visitor for the service that answered, once, and takes it back', async () => {
  const { connection, ids, push } = await openLog();
  push(request('/admin', 200, { service: { type: 'http', id: ids.appId } }));
  await painted(() => expect(rows()).toHaveLength(1));
  fireEvent.click(screen.getByText('/admin'));
  await press('Block this address');
  await screen.findByText('203.0.113.7 is blocked from App.');
  const blocked = async () => {
    const { data } = await connection.client.httpService.listAll({ query: { domain: 'app.example.test' } });
    return data.find(({ id }) => id === ids.appId)?.blockedIps;
  };
  expect(await blocked()).toEqual(['203.0.113.7']);
  await press('Block this address');
  await screen.findByText(/blocks 203.0.113.7 already/);
  await press('Undo');
  await screen.findByText('203.0.113.7 is not blocked any more.');
  expect(await blocked()).toBeNull();
});

it('has columns of their own for TCP connections', async () => {
  const { connection, gateway, ids, router } = await openConsole({ path: '/' });
  const body = { name: 'Broker', backendPort: 1883 };
  const { id } = await connection.client.tcpService.create({ params: { nodeId: ids.edgeId }, body });
  await act(() =>
    router.navigate({
      to: '/nodes/$nodeId/$type/$id/logs',
      params: { nodeId: String(ids.edgeId), type: 'tcp', id: String(id) },
    }),
  );
  await screen.findByText('Live');
  const details = JSON.stringify({ received: 1024, service: { type: 'tcp', id } });
  gateway.system.logs.push({ kind: 'tcp', id }, [
    `${today}T07:10:11.123Z INFO 203.0.113.7 "TCP 20001" 200 2048 61000ms 10.88.0.2:1883\n${details}`,
  ]);
  await painted(() =>
    expect(rows()).toEqual([
      [expect.any(String), '200', 'TCP', '20001', '203.0.113.7', '1 min 1 s', '1.00 KB', '2.00 KB', '10.88.0.2:1883'],
    ]),
  );
  fireEvent.click(screen.getByText(/20001/));
  expect(facts()).toMatchObject({ Port: '20001', Protocol: 'TCP', Lasted: '1 min 1 s', Sent: '2.00 KB' });
  expect(screen.getByRole('button', { name: 'Only this port' })).toBeDefined();
});

it('tells times of today to the millisecond and others with their day', () => {
  const now = Date.parse('2026-11-22T12:00:00Z');
  expect(clockTime('2026-11-22T07:10:11.123Z', 'utc', now)).toBe('07:10:11.123');
  expect(clockTime('2026-11-21T07:10:11.123Z', 'utc', now)).toBe('11/21 07:10');
  expect(clockTime(null, 'utc', now)).toBe('–');
});

it.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1000, '1.0 s'],
  [59_949, '59.9 s'],
  [59_999, '1 min 0 s'],
  [125_000, '2 min 5 s'],
  [3_725_000, '1 h 2 min'],
  [null, '–'],
])('tells a duration of %s as %s', (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text);
});
