import { SHARED_STREAM_PATH, SHARED_STREAMS_MAX } from '@sallyport/sdk/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestGateway, type TestGateway } from '../../testing.ts';
import { eventReader } from '../../testing/eventReader.ts';
import { testApi } from '../../testing/testApi.ts';

/** An event of a shared stream. */
type Event = { type: string; id: string | null; data: unknown };

describe('streams that share a connection', () => {
  let gateway: TestGateway;
  let token: string;
  let ids: Awaited<ReturnType<TestGateway['seed']>>;
  let stop = new AbortController();

  beforeEach(async () => {
    gateway = await createTestGateway();
    ids = await gateway.seed();
    token = await gateway.signIn();
    stop = new AbortController();
  });
  afterEach(() => gateway.stop());

  const ask = (lines: readonly string[], by: string | null = token): Promise<Response> =>
    gateway.fetch(`${SHARED_STREAM_PATH}?of=${encodeURIComponent(lines.join('\n'))}`, {
      headers: by === null ? {} : { authorization: `Bearer ${by}` },
      signal: stop.signal,
    });

  /** Reads events one by one. */
  async function open(lines: readonly string[], by = token) {
    const response = await ask(lines, by);
    expect(response.status).toBe(200);
    const reader = eventReader(response);
    const next = async (): Promise<Event | null> => {
      const fields = await reader.fields();
      if (fields === null) return null;
      const { event = '', id = null, data = 'null' } = fields;
      return { type: event, id, data: JSON.parse(data) };
    };
    const first = async (count: number): Promise<Map<string, unknown>> => {
      const found = new Map<string, unknown>();
      while (found.size < count) {
        const event = await next();
        if (event === null) throw new Error('The stream has ended.');
        found.set(event.type, event.data);
      }
      return found;
    };
    return { next, first, cancel: () => reader.cancel() };
  }

  it('carry the events of each, under the number of its line', async () => {
    const shared = await open([
      `/api/nodes/stream?id=${ids.edgeId}`,
      '/api/nodes/stream?page=1&limit=10',
      '/api/services/http/stream?nodeId=1&page=1&limit=5',
    ]);
    const found = await shared.first(6);
    for (const index of [0, 1, 2]) {
      expect(found.get(`${index}/open`)).toEqual({ status: 200, restarted: false, body: '' });
    }
    expect(found.get('0')).toMatchObject({ id: ids.edgeId, name: 'edge' });
    expect(found.get('1')).toMatchObject({ total: 3 });
    expect(found.get('2')).toMatchObject({ data: [expect.anything(), { name: 'App' }] });
    await testApi(gateway, token)(`PATCH /api/nodes/${ids.edgeId}`, { name: 'renamed' });
    expect((await shared.first(2)).get('0')).toMatchObject({ name: 'renamed' });
    await shared.cancel();
    expect(gateway.watchers()).toBe(0);
  });

  it('tell of one that is refused, and go on with the others', async () => {
    const shared = await open(['/api/nodes/stream?id=99', `/api/nodes/stream?id=${ids.edgeId}`]);
    const found = await shared.first(4);
    expect(found.get('0/open')).toMatchObject({ status: 404, body: expect.stringContaining('Node not found!') });
    expect(found.get('0/end')).toBe('');
    expect(found.get('1')).toMatchObject({ name: 'edge' });
  });

  it('go on after the event that is named, or say that it is not known any more', async () => {
    const log = `/api/logs/stream?type=http&id=${ids.appId}`;
    gateway.system.logs.push({ kind: 'http', id: ids.appId }, ['one']);
    const shared = await open([log]);
    const events = [await shared.next(), await shared.next()];
    expect(events[1]).toMatchObject({ type: '0', data: ['one'] });
    const known = await open([`${log}#${events[1]?.id}`]);
    expect((await known.next())?.data).toEqual({ status: 200, restarted: false, body: '' });
    const unknown = await open([`${log}#0-0`]);
    expect((await unknown.next())?.data).toEqual({ status: 200, restarted: true, body: '' });
  });

  it('end with the session', async () => {
    const shared = await open(['/api/nodes/stream?page=1&limit=10']);
    await shared.first(2);
    await testApi(gateway, token)('POST /api/auth/logout');
    expect(await shared.next()).toMatchObject({ type: '0/end' });
    expect(await shared.next()).toBeNull();
  });

  it('are refused without a token, and each holds to who may read it', async () => {
    expect((await ask(['/api/nodes/stream?page=1'], null)).status).toBe(401);
    const { body } = await testApi(gateway, token)(`POST /api/nodes/${ids.edgeId}/pats`, { name: 'node' });
    const shared = await open(['/api/nodes/stream?page=1&limit=10'], String(body['token']));
    expect((await shared.next())?.data).toMatchObject({ status: 403 });
  });

  it.each([
    ['none', []],
    ['a call that is no stream', ['/api/nodes?page=1']],
    ['another host', ['//elsewhere.test/api/nodes/stream']],
    ['a place that no header can name', ['/api/nodes/stream?page=1#\u0100']],
    ['a place with a zero byte', ['/api/nodes/stream?page=1#1\u0000']],
    ['itself', [`${SHARED_STREAM_PATH}?of=/api/nodes/stream`]],
    ['too many', Array.from({ length: SHARED_STREAMS_MAX + 1 }, () => '/api/nodes/stream?page=1')],
  ])('are refused when they are %s', async (_, lines) => {
    expect((await ask(lines)).status).toBe(422);
  });

  it('are counted before any is read: thousands of long ones cost nothing', async () => {
    const response = await ask(Array.from({ length: SHARED_STREAMS_MAX + 1 }, () => '/api/nodes'));
    expect(await response.text()).toContain(`A connection carries ${SHARED_STREAMS_MAX} streams at most`);
  });
});
