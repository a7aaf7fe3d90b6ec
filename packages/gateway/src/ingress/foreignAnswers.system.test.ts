import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expose, openReconcileTrial, type ReconcileTrial } from '../testing/reconcileTrial.ts';
import { openSocket } from '../testing/wire.ts';

// nginx passes on what follows an answer without a framing of its own: a backend could answer with it what its visitor
// asks another service next, on the same connection.

let trial: ReconcileTrial;
const stops: (() => unknown)[] = [];
const host = 'foreign.example.test';

const FORGED = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nFORGED';

const BEGINNINGS: [string, string][] = [
  ['an early hint', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'],
  ['an early hint with a length', `HTTP/1.1 103 Early Hints\r\nContent-Length: ${FORGED.length}\r\n\r\n`],
  ['a chunked one', 'HTTP/1.1 103 Early Hints\r\nTransfer-Encoding: chunked\r\n\r\n'],
  ['a typed one', 'HTTP/1.1 103 Early Hints\r\nContent-Type: text/html\r\n\r\n'],
  ['a protocol that nobody asked for', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n'],
  ['a word to go on', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ['the last of its kind', 'HTTP/1.0 199 Something\r\n\r\n'],
  ['no status', 'HTTP/1.1 000 Nothing\r\n\r\n'],
  ['a small status', 'HTTP/1.1 099 Nothing\r\n\r\n'],
  ['no header at all', '\r\n'],
];

beforeAll(async () => {
  trial = await openReconcileTrial();
});
afterAll(async () => {
  await trial.close();
  for (const stop of stops) await stop();
});

it.each(BEGINNINGS)('no line of a backend follows %s', async (name, beginning) => {
  const isChunked = name === 'a chunked one';
  const backend = createServer((socket) => {
    socket.on('error', () => undefined);
    const body = isChunked ? `${FORGED.length.toString(16)}\r\n${FORGED}\r\n0\r\n\r\n` : FORGED;
    socket.once('data', () => socket.end(beginning + body));
  }).listen(0, '127.0.0.1');
  await once(backend, 'listening');
  stops.push(() => backend.close());
  const pathLocation = `/p${BEGINNINGS.findIndex(([each]) => each === name)}`;
  await expose(trial, host, (backend.address() as AddressInfo).port, { pathLocation });
  const socket = await openSocket(trial, host);
  socket.write(`GET ${pathLocation} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  let received = '';
  for await (const chunk of socket) {
    received += String(chunk);
    if (received.includes('FORGED')) break;
  }
  const body = beginning === '\r\n' ? received : received.slice(received.indexOf('\r\n\r\n') + '\r\n\r\n'.length);
  expect(body).toContain('FORGED');
  expect(body).not.toContain('\n');
});
