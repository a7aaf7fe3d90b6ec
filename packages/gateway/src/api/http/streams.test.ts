import { once } from 'node:events';
import { connect } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { PAGES_TYPE } from '@sallyport/sdk/contract';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Watch, WatchSink } from '../watch.ts';
import { createTestGateway, type TestGateway } from '../../testing.ts';
import { eventReader } from '../../testing/eventReader.ts';
import { testApi } from '../../testing/testApi.ts';
import { createStreams } from './streams.ts';

describe('streams', () => {
  const never = () => () => undefined;
  const manual = (key: string | null) => {
    const sinks: WatchSink<unknown>[] = [];
    const closed = vi.fn<() => void>();
    const watch: Watch<unknown> = {
      key,
      open(sink) {
        sinks.push(sink);
        return closed;
      },
    };
    return { watch, sinks, closed };
  };

  it('write an event out once for all who read the same', async () => {
    const streams = createStreams();
    const { watch, sinks, closed } = manual('same');
    const encode = vi.fn((event: unknown) => JSON.stringify(event));
    const readers = [1, 2, 3].map(() => eventReader(streams.open(watch, encode, never)));
    sinks[0]?.push({ n: 1 });
    expect(await Promise.all(readers.map((reader) => reader.data()))).toEqual([{ n: 1 }, { n: 1 }, { n: 1 }]);
    expect(sinks).toHaveLength(1);
    expect(encode).toHaveBeenCalledTimes(1);
    // Who comes later is told at once where things stand.
    const late = eventReader(streams.open(watch, encode, never));
    expect(await late.data()).toEqual({ n: 1 });
    await Promise.all([...readers, late].map((reader) => reader.cancel()));
    expect(closed).toHaveBeenCalledTimes(1);
    expect(streams.count()).toBe(0);
    streams.stop();
  });

  it('do not repeat a state that has not changed', async () => {
    const streams = createStreams();
    const { watch, sinks } = manual('same');
    const reader = eventReader(streams.open(watch, JSON.stringify, never));
    for (const n of [1, 1, 2]) sinks[0]?.push({ n });
    expect([await reader.data(), await reader.data()]).toEqual([{ n: 1 }, { n: 2 }]);
    streams.stop();
    expect(await reader.next()).toBeNull();
  });

  it('cut off a reader that does not read, and let go of what waited for it', async () => {
    const streams = createStreams({ unreadMaxBytes: 10_000 });
    const { watch, sinks, closed } = manual(null);
    const response = streams.open(watch, JSON.stringify, never);
    for (let count = 0; count < 20; count += 1) sinks[0]?.push({ text: 'x'.repeat(1000) }, String(count));
    expect(closed).toHaveBeenCalledTimes(1);
    expect(streams.count()).toBe(0);
    await expect(response.text()).rejects.toThrow('the reader of a stream does not read');
    streams.stop();
  });

  it('tell a watch that can wait to wait for a slow reader', async () => {
    const streams = createStreams({ unreadMaxBytes: 80_000 });
    const { watch, sinks } = manual(null);
    const reader = eventReader(streams.open(watch, JSON.stringify, never));
    const [sink] = sinks;
    let pushed = 0;
    const push = (): void => {
      sink?.push('x'.repeat(1000), String(pushed));
      pushed += 1;
    };
    while (sink?.room() === null) push();
    expect(pushed).toBeLessThan(20);
    const room = sink?.room();
    for (let count = 0; count < pushed; count += 1) expect(await reader.data()).toHaveLength(1000);
    await room;
    expect(sink?.room()).toBeNull();
    while (sink?.room() === null) push();
    const late = sink?.room();
    await reader.cancel();
    // No one waits for a reader that has left.
    await late;
    expect(streams.count()).toBe(0);
    streams.stop();
  });

  it('lose nothing that is pushed before the reader is there', async () => {
    const streams = createStreams();
    const watch: Watch<string> = {
      key: null,
      open(sink) {
        sink.push('one', '1');
        sink.push('two', '2');
        return () => undefined;
      },
    };
    const reader = eventReader(streams.open(watch, JSON.stringify, never));
    expect([await reader.data(), await reader.data()]).toEqual(['one', 'two']);
    streams.stop();
  });

  it('say now and then that they are alive', async () => {
    const streams = createStreams({ heartbeatMs: 5 });
    const { watch } = manual('quiet');
    const reader = eventReader(streams.open(watch, JSON.stringify, never));
    expect(await reader.next()).toMatch(/^:/);
    streams.stop();
  });

  it('cannot be given another field by an id', async () => {
    const streams = createStreams();
    const { watch, sinks } = manual(null);
    const reader = eventReader(streams.open(watch, JSON.stringify, never));
    sinks[0]?.push('x', '1\ndata: "forged"');
    expect(await reader.next()).toBe('id: 1data: "forged"\ndata: "x"');
    streams.stop();
  });
});

describe('the gateway', () => {
  let gateway: TestGateway;
  let token: string;
  let ids: Awaited<ReturnType<TestGateway['seed']>>;

  beforeEach(async () => {
    gateway = await createTestGateway();
    ids = await gateway.seed();
    token = await gateway.signIn();
  });
  afterEach(() => gateway.stop());

  const ask = (path: string, { by = token, method = 'GET', headers = {} } = {}) =>
    gateway.fetch(path, { method, headers: { authorization: `Bearer ${by}`, ...headers } });
  const open = async (path: string, headers: Record<string, string> = {}) => {
    const response = await ask(path, { headers });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    return eventReader(response);
  };

  it('streams the page of nodes that was asked for, at once and whenever it changes', async () => {
    const stream = await open('/api/nodes/stream?limit=2&type=nodes&orderBy=name,desc', { accept: PAGES_TYPE });
    expect(await stream.data()).toMatchObject({
      total: 2,
      data: [{ name: 'Local' }, { name: 'edge', status: 'offline' }],
    });
    gateway.world.setNodeRuntime(ids.edgeId, { status: 'online' });
    expect(await stream.data()).toMatchObject({ data: [{ name: 'Local' }, { status: 'online' }] });
    await testApi(gateway, token)('POST /api/nodes', { name: 'zeta' });
    expect(await stream.data()).toMatchObject({ total: 3, data: [{ name: 'Local' }, { name: 'zeta' }] });
  });

  it('streams all nodes as a bare array when no limit is given', async () => {
    const stream = await open(`/api/nodes/stream?token=${token}`, { authorization: '' });
    expect(await stream.data()).toHaveLength(3);
  });

  it('streams one node until it is gone', async () => {
    const stream = await open(`/api/nodes/stream?id=${ids.edgeId}`);
    expect(await stream.data()).toMatchObject({ id: ids.edgeId, name: 'edge' });
    const api = testApi(gateway, token);
    await api(`PATCH /api/nodes/${ids.edgeId}`, { name: 'renamed' });
    expect(await stream.data()).toMatchObject({ name: 'renamed' });
    await api(`DELETE /api/nodes/${ids.edgeId}`);
    expect(await stream.next()).toBeNull();
  });

  it('streams the last hundred lines, then each new one, and goes on behind the last that was read', async () => {
    const key = { kind: 'http', id: ids.appId } as const;
    gateway.system.logs.push(
      key,
      Array.from({ length: 150 }, (_, index) => `old ${index}`),
    );
    const stream = await open(`/api/logs/stream?type=http&id=${ids.appId}`);
    const first = (await stream.data()) as string[];
    expect([first.length, first[0], first.at(-1)]).toEqual([100, 'old 50', 'old 149']);
    const [line] = gateway.system.logs.push(key, ['new']);
    expect(await stream.next()).toBe(`id: ${line?.id}\ndata: ["new"]`);
    await stream.cancel();
    gateway.system.logs.push(key, ['missed']);
    const again = await open(`/api/logs/stream?type=http&id=${ids.appId}`, { 'last-event-id': line?.id ?? '' });
    expect(await again.data()).toEqual(['missed']);
  });

  it('begins with as many lines as are asked for', async () => {
    const key = { kind: 'http', id: ids.appId } as const;
    gateway.system.logs.push(
      key,
      Array.from({ length: 300 }, (_, index) => `old ${index}`),
    );
    for (const lines of [0, 1, 250]) {
      const stream = await open(`/api/logs/stream?type=http&id=${ids.appId}&lines=${lines}`);
      expect(await stream.data()).toHaveLength(lines);
      await stream.cancel();
    }
    expect((await ask(`/api/logs/stream?type=http&id=${ids.appId}&lines=10001`)).status).toBe(422);
  });

  it('tells what else is known of each line where that is asked for', async () => {
    const key = { kind: 'http', id: ids.appId } as const;
    gateway.system.logs.push(key, ['old\n{"host":"a.test"}']);
    const stream = await open(`/api/logs/stream?type=http&id=${ids.appId}&with=details`);
    expect(await stream.data()).toEqual(['old\n{"host":"a.test"}']);
    await stream.cancel();
    const plain = await open(`/api/logs/stream?type=http&id=${ids.appId}`);
    expect(await plain.data()).toEqual(['old']);
    await plain.cancel();
  });

  it('says that it starts again when it does not know where to go on', async () => {
    const [line] = gateway.system.logs.push({ kind: 'http', id: ids.appId }, ['one']);
    const restarted = async (lastEventId: string | null): Promise<string | null> => {
      const headers: Record<string, string> = lastEventId === null ? {} : { 'last-event-id': lastEventId };
      const response = await ask(`/api/logs/stream?type=http&id=${ids.appId}`, { headers });
      await response.body?.cancel();
      return response.headers.get('x-stream-restarted');
    };
    expect([await restarted(null), await restarted(line?.id ?? ''), await restarted('long-gone')]).toEqual([
      null,
      null,
      'true',
    ]);
  });

  it('streams a domain’s lines, and ends when the domain is gone', async () => {
    const stream = await open('/api/logs/stream?domain=app.example.test');
    expect(await stream.data()).toEqual([]);
    gateway.system.logs.push({ kind: 'domain', id: ids.domainId }, ['hello']);
    expect(await stream.data()).toEqual(['hello']);
    await testApi(gateway, token)(`DELETE /api/domains/${ids.domainId}`);
    expect(await stream.next()).toBeNull();
  });

  it.each([
    '/api/nodes/stream?id=99',
    '/api/logs/stream?domain=no.example.test',
    '/api/logs/stream?type=tcp&id=1',
    '/api/logs/stream?type=http&id=99',
  ])('answers 404 before %s begins', async (path) => {
    const response = await ask(path);
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe('application/json');
  });

  it('opens so many for the access tokens of a node and no more, also over one connection', async () => {
    const newToken = async (): Promise<string> =>
      String((await testApi(gateway, token)(`POST /api/nodes/${ids.edgeId}/pats`, { name: 'ci' })).body['token']);
    const [own, second] = [await newToken(), await newToken()];
    const log = `/api/logs/stream?type=http&id=${ids.wikiId}`;
    const shared = `/api/streams?of=${encodeURIComponent(Array.from({ length: 16 }, () => log).join('\n'))}`;
    const [first] = [await ask(shared, { by: own }), await ask(shared, { by: second })];
    const refused = await ask(log, { by: own });
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ message: expect.stringContaining('32 streams') });
    expect(gateway.watchers()).toBe(32);
    // No one else has fewer for that, and one that ends makes room.
    const stream = await open(log);
    await stream.cancel();
    await first?.body?.cancel();
    expect((await ask(log, { by: own })).status).toBe(200);
  });

  it('ends what a token opened when its owner signs out, and nothing else', async () => {
    const [mine, other] = [await open('/api/nodes/stream'), await gateway.signIn()];
    const theirs = eventReader(await ask('/api/nodes/stream', { by: other }));
    await Promise.all([mine.next(), theirs.next()]);
    await testApi(gateway, token)('POST /api/auth/logout');
    expect(await mine.next()).toBeNull();
    gateway.world.setNodeRuntime(ids.edgeId, { status: 'idle' });
    expect(await theirs.data()).toHaveLength(3);
  });

  it('ends what a token opened when its time is over', async () => {
    const stream = await open('/api/nodes/stream');
    await stream.next();
    gateway.clock.advance(12 * 3_600_000);
    expect(await stream.next()).toBeNull();
  });

  it('keeps nothing open for someone who asks for the headers alone', async () => {
    const before = gateway.watchers();
    for (const path of ['/api/nodes/stream', `/api/logs/stream?type=http&id=${ids.appId}`]) {
      const response = await ask(path, { method: 'HEAD' });
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    }
    expect(gateway.watchers()).toBe(before);
  });

  it('takes a body that breaks off for the caller’s failure, not its own', async () => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"username":'));
        controller.error(new Error('aborted'));
      },
    });
    const broken: RequestInit & { duplex: 'half' } = { method: 'POST', body, duplex: 'half' };
    expect((await gateway.fetch('/api/auth/login', broken)).status).toBe(400);
    expect(gateway.errors).toEqual([]);
  });

  it('forgets a reader that hung up, on a real connection', async () => {
    const server = createAdaptorServer({ fetch: (request) => gateway.fetch(request), overrideGlobalObjects: false });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const before = gateway.watchers();
    const socket = connect(port, '127.0.0.1');
    socket.write(`GET /api/nodes/stream HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`);
    await once(socket, 'data');
    expect(gateway.watchers()).toBe(before + 1);
    socket.destroy();
    await vi.waitFor(() => expect(gateway.watchers()).toBe(before));
    server.close();
    await once(server, 'close');
  });
});
