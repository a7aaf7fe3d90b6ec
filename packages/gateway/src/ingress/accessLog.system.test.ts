import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { LineKey } from '../world.ts';
import { type AccessLog, openAccessLog } from '../logs/accessLog.ts';
import { hasNetworkRights } from '../machine/ownProcess.ts';
import { everyLog, pathsIn, readLog } from '../testing/logTrial.ts';
import {
  certificateFile,
  domainRow,
  expose,
  openReconcileTrial,
  type ReconcileTrial,
  save,
  serviceRow,
  startBackend,
  visit,
} from '../testing/reconcileTrial.ts';
import { askTcp, exposeTcp, openUdpClient, startTcpBackend, startUdpBackend } from '../testing/tcpTrial.ts';

// What nginx writes of visitors, and what a reader of a service's or a domain's log is given of it.

const LATER = { timeout: 20_000 };
const HOST = 'cases.example.test';

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

const webBackend = async (name: string): Promise<number> => {
  const { port, stop } = await startBackend((_request, response) => void response.end(name));
  stops.push(stop);
  return port;
};

describe('the log of an HTTP service', () => {
  it('has a line a request, with its ids and without secrets', async () => {
    const host = 'logged.example.test';
    const { value } = await expose(trial, host, await webBackend('logged'));
    const [domain] = await trial.store.domains.all({ domain: host });
    for (const path of [
      '/plain?page=2',
      '/in?x=1&access_token=s3cret',
      '/in?%74oken=s3cret',
      '/in?next=/a?token=s3cret',
      '/in;v=1;jsessionid=s3cret/more?page=2',
      '/in;v=1/more',
      '/"quoted"%C3%A9',
    ]) {
      await visit(trial, host, { path });
    }
    const lines = await vi.waitFor(() => {
      const found = readFileSync(trial.ingress.layout.accessLog, 'utf8')
        .split('\n')
        .flatMap((line) => (line.includes(`"s":"${value.id}"`) ? [JSON.parse(line) as Record<string, string>] : []));
      expect(found).toHaveLength(7);
      return found;
    });
    const requests = lines.map(({ r = '' }) => r);
    // Two workers write independently of each other.
    expect(requests.toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
      'GET /"quoted"%C3%A9 HTTP/1.1',
      'GET /in;[redacted]?page=2 HTTP/1.1',
      'GET /in;v=1/more HTTP/1.1',
      'GET /in?[redacted] HTTP/1.1',
      'GET /in?[redacted] HTTP/1.1',
      'GET /in?[redacted] HTTP/1.1',
      'GET /plain?page=2 HTTP/1.1',
    ]);
    expect(lines[requests.indexOf('GET /plain?page=2 HTTP/1.1')]).toMatchObject({
      d: String(domain?.id),
      k: 'http',
      c: '127.0.0.1',
      st: '200',
      u: `127.0.0.1:${value.backendPort}`,
    });
    for (const file of [trial.ingress.layout.accessLog, trial.ingress.layout.errorLog]) {
      expect(readFileSync(file, 'utf8')).not.toContain('s3cret');
    }
  });

  it('has the requests that it answered, in whatever case host and path were written', async () => {
    const ids = new Map<string, number>();
    for (const [name, pathLocation] of [
      ['all', '/'],
      ['app', '/app'],
    ] as const) {
      const { value } = await expose(trial, HOST, await webBackend(name), { name, pathLocation });
      ids.set(name, value.id);
    }
    const answered = new Map<string, string[]>([...ids.keys()].map((name) => [name, []]));
    const paths = ['/app/1', '/APP/2', '/App/3', '/%61pp/4', '/x/../app/5', '//app/6', '/other/7'];
    for (const host of [HOST, HOST.toUpperCase(), `${HOST}.`, 'Cases.Example.Test']) {
      for (const path of paths) {
        const { status, body } = await visit(trial, HOST, { path, headers: { host } });
        if (status === 200) answered.get(body)?.push(path);
      }
    }
    expect(answered.get('app')?.length).toBeGreaterThan(0);
    expect(answered.get('all')?.length).toBeGreaterThan(0);
    for (const [name, expected] of answered) {
      const reader = await readLog(log, { kind: 'http', id: ids.get(name) ?? 0 });
      // Lines of requests that nginx refused may be there, too.
      const served = (): string[] => pathsIn(reader.texts().filter((line) => / 200 \d+ /.test(line))).toSorted();
      await expect.poll(served, LATER).toEqual(expected.toSorted());
      reader.stop();
    }
  });

  it('has a line of bounded length, whatever a visitor makes up', async () => {
    const { value } = await expose(trial, HOST, await webBackend('made up'), { pathLocation: '/made-up' });
    const long = 'X'.repeat(3000);
    const path = `/made-up/${long}?page=${long}`;
    await visit(trial, HOST, { path: '/made-up', method: long });
    await visit(trial, HOST, { path, headers: { 'user-agent': `Firefox ${long}` } });
    await visit(trial, HOST, { path: '/made-up', headers: { 'user-agent': '\u00e9'.repeat(3000) } });
    const body = serviceRow(await webBackend('bare'), { pathLocation: '/made-up' });
    const bare = await save(trial, (tx) => tx.httpServices.create(body));
    // A name of loopback is the gateway's own, however it goes on; in JSON each quote is two characters.
    await visit(trial, 'gateway.test', { path: '/made-up', headers: { host: `${'"'.repeat(3000)}.localhost` } });
    const ids = [value.id, bare.value.id];
    const lines = (): string[] =>
      readFileSync(trial.ingress.layout.accessLog, 'utf8')
        .split('\n')
        .filter((line) => ids.some((id) => line.includes(`"s":"${id}"`)));
    await expect.poll(() => lines().length, LATER).toBe(4);
    const whole = lines().find((line) => line.includes('?page='));
    expect(whole).toContain(`GET ${path.slice(0, 500)}?page=${long.slice(0, 495)} HTTP/1.1`);
    expect(whole).toContain(`"a":"Firefox ${long.slice(0, 192)}"`);
    expect(lines().every((line) => line.length < 1600)).toBe(true);
  });
});

describe('the log of a TCP or UDP service', () => {
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
    // A line whose times are not as they should be stays as it is, and is then like none that is expected.
    return reader
      .texts()
      .map((line) => line.replace(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (.*) \d+ms (\S+)$/, '$1 $2'));
  }

  it('has its connections, and those of no other service', async () => {
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
  });

  it('is in the log of its domain too; the backend behind its TLS sees plain text', async () => {
    const host = 'log.example.test';
    const { value: domain } = await save(trial, (tx) => tx.domains.create(domainRow(host)));
    const backendPort = await backend();
    const { value: without } = await exposeTcp(trial, backendPort);
    const { value: under } = await exposeTcp(trial, backendPort, { domain: host, ssl: true });
    expect(await askTcp(without.port, 'first')).toBe('got first');
    await linesOf({ kind: 'tcp', id: without.id }, 1);
    const ca = readFileSync(certificateFile(trial, host));
    const socket = connectTls({ host: '127.0.0.1', port: under.port, servername: host, ca });
    await once(socket, 'secureConnect');
    socket.end('secret');
    expect(await text(socket)).toBe('got secret');
    const lines = await linesOf({ kind: 'domain', id: domain.id }, 1);
    expect(lines).toEqual([`INFO 127.0.0.1 "TCP ${under.port}" 200 10 127.0.0.1:${backendPort}`]);
    expect(await linesOf({ kind: 'tcp', id: under.id }, 1)).toEqual(lines);
    // An HTTP service may have the same number.
    expect((await linesOf({ kind: 'http', id: under.id }, 0)).filter((line) => line.includes('"TCP'))).toEqual([]);
  });

  it('has the UDP session that its list refused', async () => {
    const { port, stop } = await startUdpBackend();
    const { value } = await exposeTcp(trial, port, { proto: 'udp', blockedIps: ['127.0.0.1'] });
    const client = openUdpClient(value.port);
    stops.push(stop, client.close);
    void client.ask(1);
    expect(await linesOf({ kind: 'tcp', id: value.id }, 1)).toEqual([`WARN 127.0.0.1 "UDP ${value.port}" 403 0 -`]);
  });

  it('has a UDP session when it ends, with what was sent to the client, as its domain has', async ({ skip }) => {
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
});
