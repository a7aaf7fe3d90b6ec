import { once } from 'node:events';
import { constants } from 'node:http2';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
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
import { acceptUpgrade, openHttp2, openSocket } from '../testing/wire.ts';

// What is open when a service is closed, through the whole way from its row to the kernel.

const host = 'closing.example.test';
/** Workers that are not told to end what is open keep it for half an hour. */
const CLOSED_MS = 20_000;

let trial: ReconcileTrial;
/** What a backend leaves the test to answer. */
const asked = Promise.withResolvers<ServerResponse>();
const ports: number[] = [];
const stops: (() => Promise<void>)[] = [];

beforeEach(({ skip }) => skip(!hasNetworkRights(), 'only root may end connections, and not in every container'));
beforeAll(async () => {
  trial = await openReconcileTrial({ resolve: () => Promise.resolve(['127.0.0.1']) });
  for (let index = 0; index < 2; index += 1) {
    const backend = await startBackend(
      (request, response) => {
        if (request.url?.endsWith('/events') === true) {
          response.setHeader('content-type', 'text/event-stream');
          response.write('data: first\n\n');
        } else if (request.url?.endsWith('/slow') === true) {
          asked.resolve(response);
        } else response.end('open');
      },
      (_request: IncomingMessage, socket: Duplex) => {
        acceptUpgrade(socket);
        socket.pipe(socket);
      },
    );
    ports.push(backend.port);
    stops.push(backend.stop);
  }
});
afterAll(async () => {
  await trial?.close();
  for (const stop of stops) await stop();
});

const change = (id: number, row: Partial<NewRow<HttpServiceRow>>) =>
  save(trial, (tx) => tx.httpServices.update(id, row));

/** What goes through nginx and back, and whether it has ended; with `before` between connecting and asking. */
async function openWebSocket(path: string, before = () => Promise.resolve<unknown>(null)) {
  const socket = await openSocket(trial, host);
  await before();
  socket.on('error', () => undefined);
  const ended = once(socket, 'close').then(() => 'ended');
  const say = async (words: string): Promise<string> => {
    socket.write(words);
    return String((await once(socket, 'data'))[0]);
  };
  const lines = [`GET ${path} HTTP/1.1`, `Host: ${host}`, 'Upgrade: websocket', 'Connection: Upgrade', '', ''];
  expect(await say(lines.join('\r\n'))).toMatch(/^HTTP\/1\.1 101 /);
  return { socket, say, ended };
}

const within = (work: Promise<string>, ms: number): Promise<string> => {
  const late = Promise.withResolvers<string>();
  const timer = setTimeout(() => late.resolve('still open'), ms);
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
};

it.each([
  ['disabled', { enabled: false }],
  ['limited to others', { allowedIps: ['192.0.2.7'] }],
  ['blocked for the visitor', { blockedIps: ['127.0.0.0/8'] }],
])('ends a WebSocket within a second when its service is %s, and no other', async (_how, row) => {
  const gone = (await expose(trial, host, ports[0] ?? 0, { pathLocation: '/gone' })).value;
  const kept = (await expose(trial, host, ports[1] ?? 0, { pathLocation: '/kept' })).value;
  const [closed, open] = [await openWebSocket('/gone'), await openWebSocket('/kept')];
  expect(await closed.say('before')).toBe('before');
  await change(gone.id, row);
  expect(await within(closed.ended, CLOSED_MS)).toBe('ended');
  expect(await open.say('after')).toBe('after');
  open.socket.destroy();
  for (const { id } of [gone, kept]) await save(trial, (tx) => tx.httpServices.remove(id));
});

it('ends a WebSocket at the start whose service went while the gateway was down, and no other', async () => {
  // A name: nothing but what was noted says where it led.
  const named = { pathLocation: '/gone', backendHost: 'backend.example.test' };
  const gone = (await expose(trial, host, ports[0] ?? 0, named)).value;
  const kept = (await expose(trial, host, ports[1] ?? 0, { pathLocation: '/kept' })).value;
  const [closed, open] = [await openWebSocket('/gone'), await openWebSocket('/kept')];
  writeByHand(trial, 'delete from http_services where id = ?', gone.id);
  expect(await trial.restart()).toEqual({ problem: null });
  expect(await within(closed.ended, CLOSED_MS)).toBe('ended');
  expect(await open.say('after')).toBe('after');
  open.socket.destroy();
  await save(trial, (tx) => tx.httpServices.remove(kept.id));
});

it('lets a request be answered that another service has under way to the same backend', async () => {
  const gone = (await expose(trial, host, ports[0] ?? 0, { pathLocation: '/gone' })).value;
  const kept = (await expose(trial, host, ports[0] ?? 0, { pathLocation: '/kept' })).value;
  const closed = await openWebSocket('/gone');
  const answer = visit(trial, host, { path: '/kept/slow' });
  const response = await asked.promise;
  await change(gone.id, { enabled: false });
  response.end('slow');
  expect(await answer).toMatchObject({ status: 200, body: 'slow' });
  expect(await within(closed.ended, CLOSED_MS)).toBe('ended');
  for (const { id } of [gone, kept]) await save(trial, (tx) => tx.httpServices.remove(id));
});

it('ends what a visitor asks for who connected before they were blocked', async () => {
  const { value } = await expose(trial, host, ports[0] ?? 0, { pathLocation: '/late' });
  const late = await openWebSocket('/late', () => change(value.id, { blockedIps: ['127.0.0.0/8'] }));
  expect(await within(late.ended, CLOSED_MS)).toBe('ended');
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
  expect(await within(answer, CLOSED_MS)).not.toBe('200');
  expect(events.closed).toBe(false);
  session.destroy();
});
