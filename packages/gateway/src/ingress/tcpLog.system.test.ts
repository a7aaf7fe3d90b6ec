import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { LineKey } from '../world.ts';
import { type AccessLog, openAccessLog } from '../logs/accessLog.ts';
import { hasNetworkRights } from '../machine/ownProcess.ts';
import { everyLog, readLog } from '../testing/logTrial.ts';
import {
  certificateFile,
  domainRow,
  openReconcileTrial,
  type ReconcileTrial,
  save,
} from '../testing/reconcileTrial.ts';
import { askTcp, exposeTcp, openUdpClient, startTcpBackend, startUdpBackend } from '../testing/tcpTrial.ts';

let trial: ReconcileTrial;
let log: AccessLog;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  trial = await openReconcileTrial({ listen: ['127.0.0.1', '[::1]'] });
  log = openAccessLog({
    path: trial.ingress.layout.accessLog,
    directory: join(dirname(trial.databaseFile), 'logs'),
    historyBytes: 1_000_000,
    known: everyLog(),
    reopenLogs: trial.ingress.reopenLogs,
    notices: { info: () => undefined, warn: () => undefined },
  });
});
afterAll(async () => {
  await log.close();
  await trial.close();
  await Promise.all(stops.map((stop) => stop()));
});

/** Answers with `got ` and what it was sent, once the client has said all. */
const backend = async (): Promise<number> => {
  const { port, stop } = await startTcpBackend((socket) => {
    void text(socket).then((words) => socket.end(`got ${words}`));
  });
  stops.push(stop);
  return port;
};

/** What a reader of a log is given from its beginning, without times, as soon as there are so many lines. */
async function linesOf(key: LineKey, count: number): Promise<string[]> {
  const reader = await readLog(log, key);
  stops.push(async () => reader.stop());
  await vi.waitFor(() => {
    // What is kept comes first, even when that is nothing.
    expect(reader.batches.length).toBeGreaterThan(0);
    expect(reader.texts().length).toBeGreaterThanOrEqual(count);
  });
  reader.stop();
  return reader.texts().map(withoutTimes);
}

/** A line whose times are not as they should be stays as it is, and is then like none that is expected. */
const withoutTimes = (line: string): string =>
  line.replace(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (.*) \d+ms (\S+)$/, '$1 $2');

it('of a TCP service has its connections, and nobody else’s', async () => {
  const backendPort = await backend();
  const { value: asked } = await exposeTcp(trial, backendPort, { blockedIps: ['::1'] });
  const { value: other } = await exposeTcp(trial, backendPort);
  expect(await askTcp(asked.port, 'words')).toBe('got words');
  const served = `INFO 127.0.0.1 "TCP ${asked.port}" 200 9 127.0.0.1:${backendPort}`;
  expect(await linesOf({ kind: 'tcp', id: asked.id }, 1)).toEqual([served]);
  expect(await askTcp(asked.port, 'words', '::1')).toBe('');
  expect(await linesOf({ kind: 'tcp', id: asked.id }, 2)).toEqual([served, `WARN ::1 "TCP ${asked.port}" 403 0 -`]);
  // What came before it in nginx's log would be there by now.
  expect(await askTcp(other.port, 'x')).toBe('got x');
  expect(await linesOf({ kind: 'tcp', id: other.id }, 1)).toEqual([
    `INFO 127.0.0.1 "TCP ${other.port}" 200 5 127.0.0.1:${backendPort}`,
  ]);
  // An HTTP service may have the same number.
  expect(await linesOf({ kind: 'http', id: asked.id }, 0)).toEqual([]);
});

it('of a domain has the connections of its TCP service, and not those of one without it', async () => {
  const host = 'log.example.test';
  const { value: domain } = await save(trial, (tx) => tx.domains.create(domainRow(host)));
  const backendPort = await backend();
  const { value: without } = await exposeTcp(trial, backendPort);
  const { value: under } = await exposeTcp(trial, backendPort, { domain: host, ssl: true });
  expect(await askTcp(without.port, 'first')).toBe('got first');
  await linesOf({ kind: 'tcp', id: without.id }, 1);
  const socket = connectTls({
    host: '127.0.0.1',
    port: under.port,
    servername: host,
    ca: readFileSync(certificateFile(trial, host)),
  });
  await once(socket, 'secureConnect');
  socket.end('secret');
  expect(await text(socket)).toBe('got secret');
  const lines = await linesOf({ kind: 'domain', id: domain.id }, 1);
  expect(lines).toEqual([`INFO 127.0.0.1 "TCP ${under.port}" 200 10 127.0.0.1:${backendPort}`]);
  expect(await linesOf({ kind: 'tcp', id: under.id }, 1)).toEqual(lines);
});

it('of a UDP service has the session that its list refused', async () => {
  const { port, stop } = await startUdpBackend();
  const { value } = await exposeTcp(trial, port, { proto: 'udp', blockedIps: ['127.0.0.1'] });
  const client = openUdpClient(value.port);
  stops.push(stop, client.close);
  void client.ask(1);
  expect(await linesOf({ kind: 'tcp', id: value.id }, 1)).toEqual([`WARN 127.0.0.1 "UDP ${value.port}" 403 0 -`]);
});

it('of a UDP service and its domain has a session when it ends, with what was sent to the client', async ({ skip }) => {
  skip(!hasNetworkRights(), 'only root may end a session before its minute of silence, and not in every container');
  const { value: domain } = await save(trial, (tx) => tx.domains.create(domainRow('udp.example.test')));
  const { port, stop } = await startUdpBackend();
  const { value } = await exposeTcp(trial, port, { proto: 'udp', domain: 'udp.example.test' });
  const client = openUdpClient(value.port);
  stops.push(stop, client.close);
  const answers = await client.ask(3);
  await save(trial, (tx) => tx.tcpServices.update(value.id, { enabled: false }));
  const line = `INFO 127.0.0.1 "UDP ${value.port}" 200 ${answers.join('').length} 127.0.0.1:${port}`;
  expect(await linesOf({ kind: 'tcp', id: value.id }, 1)).toEqual([line]);
  expect(await linesOf({ kind: 'domain', id: domain.id }, 1)).toEqual([line]);
});
