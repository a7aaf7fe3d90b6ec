import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { asNode, holdNextGeneration, seededGateway, type SeededGateway, type TestReply } from '../testing/testApi.ts';
import { refuses } from '../testing/fakeIngress.ts';

// Changes of many callers that cannot be served, in one generation: they must not hold up the others.

let { gateway, admin, ids }: SeededGateway = {} as never;
const PATHS = Array.from({ length: 12 }, (_, index) => `/bad${index}`);
/** Those who come at once are served in two generations, as the first may be alone; each is made once more at most. */
const MOST_ROUNDS = 4;

beforeEach(async () => {
  ({ gateway, admin, ids } = await seededGateway());
});
afterEach(() => gateway.stop());

const expose = (pathLocation: string, domain: string | null = null) =>
  admin('POST /api/services/1/http', {
    name: pathLocation,
    pathLocation,
    domain,
    backendHost: '127.0.0.1',
    backendPort: 8080,
  });
/** While nginx loads one generation, what the next one serves gathers: until it is told that it is loaded. */
async function whileLoading(): Promise<{ first: Promise<TestReply>; loaded(): void }> {
  const { begun, loaded } = holdNextGeneration(gateway);
  const first = expose('/first');
  await begun;
  return { first, loaded };
}
const served = (): string => JSON.stringify(gateway.system.ingress.served()?.files);

it.each([
  ['without a domain', null],
  ['of a domain', 'app.example.test'],
])(
  'takes all back at once that nginx refuses, though it names one of them at a time: services %s',
  async (_, domain) => {
    gateway.system.ingress.rejectWhen(refuses('/bad'));
    const apply = vi.spyOn(gateway.system.ingress, 'apply');
    const [good, ...bad] = await Promise.all(['/good', ...PATHS].map((path) => expose(path, domain)));
    expect(good?.status).toBe(200);
    expect(bad.map(({ status }) => status)).toEqual(PATHS.map(() => 400));
    expect(apply.mock.calls.length).toBeLessThanOrEqual(MOST_ROUNDS);
    expect(served()).toContain('/good {');
    expect(served()).not.toContain('/bad');
  },
);

it('takes all back at once that cannot be written down', async () => {
  const made = await Promise.all(PATHS.map((path) => expose(path)));
  for (const { body } of made) {
    await gateway.store.write((tx) =>
      tx.httpServices.update(Number(body['id']), { enabled: false, blockedIps: ['no address'] }),
    );
  }
  const rounds = vi.spyOn(gateway.system.ingress, 'apply');
  const desired = vi.spyOn(gateway.store, 'desired');
  const enable = ({ body }: (typeof made)[number]) => admin(`PATCH /api/services/1/http/${Number(body['id'])}/enable`);
  const answers = await Promise.all(made.map(enable));
  expect(answers.map(({ status }) => status)).toEqual(PATHS.map(() => 400));
  expect(desired.mock.calls.length).toBeLessThanOrEqual(MOST_ROUNDS);
  expect(rounds.mock.calls.length).toBeLessThanOrEqual(MOST_ROUNDS);
});

it('tells all who changed the same that it was taken back, as only one of them may be at fault', async () => {
  const edge = await asNode(gateway, admin, ids.edgeId);
  gateway.system.ingress.rejectWhen(refuses('/bad'));
  const { first, loaded } = await whileLoading();
  const wiki = () => gateway.store.httpServices.get(ids.wikiId);
  const before = await wiki();
  const bad = edge(`PATCH /api/cli/services/http/${ids.wikiId}`, { pathLocation: '/bad' });
  await vi.waitFor(async () => expect(await wiki()).toMatchObject({ pathLocation: '/bad' }));
  const closed = admin(`PATCH /api/services/${ids.edgeId}/http/${ids.wikiId}`, { allowedIps: ['192.0.2.1'] });
  await vi.waitFor(async () => expect(await wiki()).toMatchObject({ allowedIps: ['192.0.2.1'] }));
  loaded();
  expect((await first).status).toBe(200);
  for (const { status, body } of await Promise.all([bad, closed])) {
    expect([status, body['message']]).toEqual([400, expect.stringMatching(/at the same moment.*save it again/)]);
  }
  expect(await wiki()).toEqual(before);
  expect(
    (await admin(`PATCH /api/services/${ids.edgeId}/http/${ids.wikiId}`, { allowedIps: ['192.0.2.1'] })).status,
  ).toBe(200);
});

it('closes a service for the administrator though its node changes it at the same moment', async () => {
  const edge = await asNode(gateway, admin, ids.edgeId);
  gateway.system.ingress.rejectWhen(refuses('/bad'));
  const { first, loaded } = await whileLoading();
  const wiki = () => gateway.store.httpServices.get(ids.wikiId);
  const bad = edge(`PATCH /api/cli/services/http/${ids.wikiId}`, { pathLocation: '/bad' });
  await vi.waitFor(async () => expect(await wiki()).toMatchObject({ pathLocation: '/bad' }));
  const closed = admin(`PATCH /api/services/${ids.edgeId}/http/${ids.wikiId}/disable`);
  await vi.waitFor(async () => expect(await wiki()).toMatchObject({ enabled: false }));
  loaded();
  expect([(await first).status, (await bad).status, (await closed).status]).toEqual([200, 400, 200]);
  expect((await bad).body['message']).toMatch(/could not be undone: it stays saved/);
  expect(await wiki()).toMatchObject({ enabled: false, pathLocation: '/bad' });
});

it('closes a service that cannot be served as it is', async () => {
  gateway.system.ingress.rejectWhen(refuses('/wiki'));
  expect((await admin(`PATCH /api/services/${ids.edgeId}/http/${ids.wikiId}/disable`)).status).toBe(200);
  expect(await gateway.store.httpServices.get(ids.wikiId)).toMatchObject({ enabled: false });
});

describe('a change of a node that cannot be taken back, since the domain that its service left is gone', () => {
  const NAME = 'web.example.test';
  const domains = async () => gateway.store.domains.all({ domain: NAME });

  /** Two services leave their domain, one by a change that is refused; `next` comes in the same generation. */
  async function leave(next: () => Promise<TestReply>): Promise<{ refused: TestReply; id: number; other: TestReply }> {
    const edge = await asNode(gateway, admin, ids.edgeId);
    const place = (pathLocation: string) => ({ name: pathLocation, domain: NAME, pathLocation, backendPort: 8080 });
    const [evil, last] = [
      await edge('POST /api/cli/expose/http', place('/evil')),
      await edge('POST /api/cli/expose/http', place('/last')),
    ].map(({ body }) => Number(body['id']));
    gateway.system.ingress.rejectWhen(refuses('/bad'));
    const { first, loaded } = await whileLoading();
    const refused = edge(`PATCH /api/cli/services/http/${evil ?? 0}`, { domain: '', pathLocation: '/bad' });
    await vi.waitFor(async () =>
      expect(await gateway.store.httpServices.all({ pathLocation: '/bad' })).toHaveLength(1),
    );
    const left = edge(`PATCH /api/cli/services/http/${last ?? 0}`, { domain: '' });
    await vi.waitFor(async () => expect(await domains()).toEqual([]));
    const written = new Promise<void>((resolve) => void gateway.store.onChange(() => resolve()));
    const other = next();
    await written;
    loaded();
    expect([(await first).status, (await left).status]).toEqual([200, 200]);
    return { refused: await refused, id: evil ?? 0, other: await other };
  }

  it('leaves the domain to the administrator who has made it meanwhile', async () => {
    const { refused, id, other } = await leave(() =>
      admin('POST /api/domains', { domain: NAME, skipValidation: true }),
    );
    expect([refused.status, other.status]).toEqual([400, 200]);
    expect(refused.body['message']).toMatch(/could not be undone/);
    expect(await gateway.store.httpServices.get(id)).toMatchObject({ domain: null, pathLocation: '/bad' });
    expect(await gateway.store.httpServices.all({ domain: NAME })).toEqual([]);
    expect(await domains()).toMatchObject([{ id: other.body['id'], reserved: true }]);
    expect(served()).not.toContain('/bad');
    expect(served()).not.toContain('/evil');
  });

  it('does not hold up the changes of others', async () => {
    const { refused, id, other } = await leave(() =>
      admin(`PATCH /api/services/${ids.edgeId}/http/${ids.wikiId}/disable`),
    );
    expect([refused.status, other.status]).toEqual([400, 200]);
    expect(served()).toMatch(/location = \/wiki \{\\n[^}]*return 404/);
    const shown = await admin(`GET /api/services/${ids.edgeId}/http/${id}`);
    expect(shown.body['problem']).toMatch(/nginx does not accept/);
    expect((await admin(`GET /api/services/${ids.edgeId}/http/${ids.wikiId}`)).body['problem']).toBeNull();
  });
});
