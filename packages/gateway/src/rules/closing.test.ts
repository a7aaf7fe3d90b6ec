import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestGateway, type TestGateway } from '../testing.ts';
import { testApi } from '../testing/testApi.ts';
import { closingOf, OPEN } from './closing.ts';

let gateway: TestGateway;
let api: ReturnType<typeof testApi>;
beforeEach(async () => {
  gateway = await createTestGateway({ now: new Date('2026-11-21T13:05:00.000Z') });
  api = testApi(gateway, await gateway.signIn());
});
afterEach(() => gateway.stop());

const PROBLEM = 'Closed on 2026-11-21 at 14:05 UTC by its time limit. Enable it to open it again.';
const kinds = [
  ['http', { pathLocation: '/short', backendHost: '127.0.0.1', backendPort: 8080 }],
  ['tcp', { backendHost: '127.0.0.1', backendPort: 5432 }],
] as const;

it.each(kinds)(
  'says when an %s service was closed by its time limit, also where its end could not be written down',
  async (kind, body) => {
    const { body: made } = await api(`POST /api/services/1/${kind}`, { name: 'Short', ttl: '1h', ...body });
    const expiresAt = '2026-11-21T14:05:00.000Z';
    gateway.clock.advance(7_200_000);
    const unsaved = { enabled: true, expiresAt, closedAt: null, closedBy: null };
    const id = Number(made['id']);
    await gateway.store.write(async (tx) => {
      await (kind === 'http' ? tx.httpServices.update(id, unsaved) : tx.tcpServices.update(id, unsaved));
    });
    expect((await api(`GET /api/services/1/${kind}/${String(made['id'])}`)).body).toMatchObject({
      closedAt: expiresAt,
      closedBy: 'time-limit',
      problem: PROBLEM,
    });
  },
);

it('takes a service for closed as soon as its time is over, not before', () => {
  const expiresAt = '2026-11-21T14:05:00.000Z';
  const row = { enabled: true, expiresAt, ...OPEN };
  expect(closingOf(row, new Date(Date.parse(expiresAt) - 1))).toEqual(OPEN);
  expect(closingOf(row, new Date(expiresAt))).toEqual({ closedAt: expiresAt, closedBy: 'time-limit' });
});

it('says that an administrator closed a service, or the token of its node, and calls neither a problem', async () => {
  const { edgeId, wikiId } = await gateway.seed();
  const path = `/api/services/${edgeId}/http/${wikiId}` as const;
  expect((await api(`PATCH ${path}/disable`)).body).toMatchObject({
    closedAt: '2026-11-21T13:05:00.000Z',
    closedBy: 'administrator',
    problem: null,
  });
  await api(`PATCH ${path}/enable`);
  const { body: pat } = await api(`POST /api/nodes/${edgeId}/pats`, { name: 'cli' });
  const own = testApi(gateway, String(pat['token']));
  gateway.clock.advance(60_000);
  const closed = { closedAt: '2026-11-21T13:06:00.000Z', closedBy: 'node' };
  expect((await own(`PATCH /api/cli/services/http/${wikiId}/disable`)).body).toMatchObject(closed);
  // Closing once more what is closed changes neither.
  gateway.clock.advance(60_000);
  expect((await api(`PATCH ${path}/disable`)).body).toMatchObject(closed);
});

it('reads of a damaged row what can be read', async () => {
  const { appId } = await gateway.seed();
  const hostile = { enabled: false, closedAt: '<b>', closedBy: 'nobody' as 'node' };
  await gateway.store.write((tx) => tx.httpServices.update(appId, hostile));
  expect((await api(`GET /api/services/1/http/${appId}`)).body).toMatchObject({ closedAt: null, closedBy: null });
});
