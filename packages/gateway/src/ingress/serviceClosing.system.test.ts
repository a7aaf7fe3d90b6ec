import { once } from 'node:events';
import { constants } from 'node:http2';
import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { HttpServiceRow, NewRow } from '../store/rows.ts';
import { hasNetworkRights } from '../machine/ownProcess.ts';
import {
  expose,
  openReconcileTrial,
  type ReconcileTrial,
  save,
  startBackend,
  visit,
  writeByHand,
} from '../testing/reconcileTrial.ts';
import { echoUpgrade, openHttp2, openWebSocket } from '../testing/wire.ts';

// What is open when a service is closed, through the whole way from its row to the kernel. Workers that are not told to
// end it keep it for half an hour, so a test that waits for the end fails without it.

const host = 'closing.example.test';

let trial: ReconcileTrial;
/** What a backend leaves the test to answer. */
const asked = Promise.withResolvers<ServerResponse>();
const ports: number[] = [];

beforeEach(({ skip }) => skip(!hasNetworkRights(), 'only root may end connections, and not in every container'));
beforeAll(async () => {
  trial = await openReconcileTrial({ resolve: () => Promise.resolve(['127.0.0.1']) });
  for (let index = 0; index < 2; index += 1) {
    const backend = await startBackend((request, response) => {
      if (request.url?.endsWith('/events') === true) {
        response.setHeader('content-type', 'text/event-stream');
        response.write('data: first\n\n');
      } else if (request.url?.endsWith('/slow') === true) {
        asked.resolve(response);
      } else response.end('open');
    }, echoUpgrade);
    ports.push(backend.port);
  }
});
afterAll(() => trial?.close());

const change = (id: number, row: Partial<NewRow<HttpServiceRow>>) =>
  save(trial, (tx) => tx.httpServices.update(id, row));

it.each([
  ['disabled', { enabled: false }],
  ['limited to others', { allowedIps: ['192.0.2.7'] }],
  ['blocked for the visitor', { blockedIps: ['127.0.0.0/8'] }],
])('ends a WebSocket within a second when its service is %s, and no other', async (_how, row) => {
  const gone = (await expose(trial, host, ports[0] ?? 0, { pathLocation: '/gone' })).value;
  const kept = (await expose(trial, host, ports[1] ?? 0, { pathLocation: '/kept' })).value;
  const [closed, open] = [
    await openWebSocket(trial, host, { path: '/gone' }),
    await openWebSocket(trial, host, { path: '/kept' }),
  ];
  expect(await closed.say('before')).toBe('before');
  await change(gone.id, row);
  await closed.ended;
  expect(await open.say('after')).toBe('after');
  open.socket.destroy();
  for (const { id } of [gone, kept]) await save(trial, (tx) => tx.httpServices.remove(id));
});

it('ends a WebSocket at the start whose service went while the gateway was down, and no other', async () => {
  // A name: nothing but what was noted says where it led.
  const named = { pathLocation: '/gone', backendHost: 'backend.example.test' };
  const gone = (await expose(trial, host, ports[0] ?? 0, named)).value;
  const kept = (await expose(trial, host, ports[1] ?? 0, { pathLocation: '/kept' })).value;
  const [closed, open] = [
    await openWebSocket(trial, host, { path: '/gone' }),
    await openWebSocket(trial, host, { path: '/kept' }),
  ];
  writeByHand(trial, 'delete from http_services where id = ?', gone.id);
  expect(await trial.restart()).toEqual({ problem: null });
  await closed.ended;
  expect(await open.say('after')).toBe('after');
  open.socket.destroy();
  await save(trial, (tx) => tx.httpServices.remove(kept.id));
});

it('lets a request be answered that another service has under way to the same backend', async () => {
  const gone = (await expose(trial, host, ports[0] ?? 0, { pathLocation: '/gone' })).value;
  const kept = (await expose(trial, host, ports[0] ?? 0, { pathLocation: '/kept' })).value;
  const closed = await openWebSocket(trial, host, { path: '/gone' });
  const answer = visit(trial, host, { path: '/kept/slow' });
  const response = await asked.promise;
  await change(gone.id, { enabled: false });
  response.end('slow');
  expect(await answer).toMatchObject({ status: 200, body: 'slow' });
  await closed.ended;
  for (const { id } of [gone, kept]) await save(trial, (tx) => tx.httpServices.remove(id));
});

it('ends what a visitor asks for who connected before they were blocked', async () => {
  const { value } = await expose(trial, host, ports[0] ?? 0, { pathLocation: '/late' });
  const late = await openWebSocket(trial, host, {
    path: '/late',
    before: () => change(value.id, { blockedIps: ['127.0.0.0/8'] }),
  });
  expect(await late.ended).toBeGreaterThan(0);
  await save(trial, (tx) => tx.httpServices.remove(value.id));
});

// A worker that is on its way out ends such a connection by no other rule than that of the time that it may last.
it('is seen within a minute by a visitor who had only connected, over HTTP/2', { timeout: 90_000 }, async () => {
  const { value } = await expose(trial, host, ports[0] ?? 0, { pathLocation: '/late' });
  const session = await openHttp2(trial, host, { before: () => change(value.id, { enabled: false }) });
  const gone = once(session, 'goaway');
  const asking = setInterval(
    () =>
      session
        .request({ ':path': '/late' })
        .on('error', () => undefined)
        .resume(),
    1000,
  );
  const [code] = (await gone) as [number];
  clearInterval(asking);
  expect(code).toBe(constants.NGHTTP2_NO_ERROR);
  session.destroy();
  await save(trial, (tx) => tx.httpServices.remove(value.id));
});

it('is seen by a visitor whose connection of HTTP/2 another service keeps open', async () => {
  const gone = (await expose(trial, host, ports[0] ?? 0, { pathLocation: '/gone' })).value;
  await expose(trial, host, ports[1] ?? 0, { pathLocation: '/kept' });
  const session = await openHttp2(trial, host);
  const events = session.request({ ':path': '/kept/events' });
  expect(String((await once(events, 'data'))[0])).toContain('first');
  const before = session.request({ ':path': '/gone' });
  expect(await text(before)).toBe('open');
  await change(gone.id, { enabled: false });
  const after = session.request({ ':path': '/gone' });
  after.on('error', () => undefined);
  const answer = once(after, 'response').then(
    ([headers]) => String((headers as Record<string, unknown>)[constants.HTTP2_HEADER_STATUS]),
    () => 'refused',
  );
  expect(await answer).not.toBe('200');
  expect(events.closed).toBe(false);
  session.destroy();
});
