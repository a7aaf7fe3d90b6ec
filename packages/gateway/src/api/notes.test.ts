import { describe, expect, it } from 'vitest';
import { problemsIn, seedNodesEachTest, type SeededNodes, testApi } from '../testing/testApi.ts';

let { gateway, admin, ids, edge, site }: SeededNodes = {} as never;
seedNodesEachTest((seeded) => ({ gateway, admin, ids, edge, site } = seeded));

const NOTES = 'Behind the garage.\n\nAsk <b>Ada</b> before a restart.';

/** One of each kind of object that has tags: where it is, and in which list. */
const kinds = {
  node: () => ({ one: `/api/nodes/${ids.edgeId}`, list: '/api/nodes' }),
  domain: () => ({ one: `/api/domains/${ids.domainId}`, list: '/api/domains' }),
  'HTTP service': () => ({ one: `/api/services/${ids.edgeId}/http/${ids.wikiId}`, list: '/api/services/http' }),
  'TCP service': async () => {
    const { body } = await admin(`POST /api/services/${ids.edgeId}/tcp`, { name: 'ssh', backendPort: 22 });
    return { one: `/api/services/${ids.edgeId}/tcp/${String(body['id'])}`, list: '/api/services/tcp' };
  },
} as const;

describe.each(Object.keys(kinds) as (keyof typeof kinds)[])('tags and notes of a %s', (kind) => {
  const change = async (body: object) => {
    const { one } = await kinds[kind]();
    return { one, reply: await admin(`PATCH ${one as '/'}`, body) };
  };

  it('are kept as they were written, and stay when they are left out', async () => {
    const tags = ['Media', 'عام', '👩‍🚀', 'x'.repeat(40)];
    const { one, reply } = await change({
      tags: [' Media ', ...tags.slice(1)],
      notes: `${NOTES.replaceAll('\n', '\r\n')}\n`,
    });
    expect(reply).toMatchObject({ status: 200, body: { tags, notes: NOTES } });
    await admin(`PATCH ${one as '/'}`, kind === 'domain' ? { hsts: false } : { name: 'Other' });
    expect((await admin(`GET ${one as '/'}`)).body).toMatchObject({ tags, notes: NOTES });
    const none = { tags: [], notes: null };
    expect((await admin(`PATCH ${one as '/'}`, { tags: null, notes: '' })).body).toMatchObject(none);
  });

  it('are a hundred tags at most', async () => {
    const tags = Array.from({ length: 101 }, (_, index) => `tag ${index}`);
    expect(problemsIn((await change({ tags })).reply)).toEqual({
      tags: '"tags" must contain less than or equal to 100 items',
    });
    const { one, reply } = await change({ tags: tags.slice(1) });
    expect(reply.status).toBe(200);
    expect((await admin(`GET ${one as '/'}`)).body['tags']).toEqual(tags.slice(1));
  });

  it('are found by the search, and tags by the filter, in any case', async () => {
    const { list } = await kinds[kind]();
    const { one } = await change({ tags: ['Küche', 'a"b\\c', '50%'], notes: NOTES });
    const id = Number(one.split('/').at(-1));
    const found = async (query: Record<string, string> | [string, string][]) => {
      const { body } = await admin(`GET ${list as '/'}?limit=9&${new URLSearchParams(query).toString()}`);
      return (body['data'] as { id: number }[]).map((row) => row.id);
    };
    for (const search of ['KÜCH', '"b\\', '50%', 'GARAGE', '<b>Ada']) expect(await found({ search })).toEqual([id]);
    for (const search of ['","', '[', 'garage behind']) expect(await found({ search })).toEqual([]);
    for (const tag of ['Küche', 'KÜCHE', 'a"b\\c']) expect(await found({ tag })).toEqual([id]);
    for (const tag of ['Küch', '%', '50_']) expect(await found({ tag })).toEqual([]);
    expect(
      await found([
        ['tag', 'küche'],
        ['tag', '50%'],
      ]),
    ).toEqual([id]);
    expect(
      await found([
        ['tag', 'küche'],
        ['tag', 'cellar'],
      ]),
    ).toEqual([]);
  });
});

it.each([
  ['an empty one', [''], 'tags.0', 'This field is not allowed to be empty'],
  ['one of nothing to see', ['\u200b'], 'tags.0', 'This field is not allowed to be empty'],
  ['one that is too long', ['x'.repeat(41)], 'tags.0', 'This field must be less than or equal to 40 characters long'],
  ['one with a comma', ['a,b'], 'tags.0', 'This field must not contain a comma'],
  ['the same in another case', ['Straße', 'a', 'STRASSE', 'A'], 'tags.3', '"tags[3]" contains a duplicate value'],
  ['one that turns the text round', ['a\u202eb'], 'tags.0', /^This field must be one line without control/],
  ['one with an escape sequence', ['\u001b[31m'], 'tags.0', /^This field must be one line without control/],
])('refuses among tags %s', async (_, tags, field, message) => {
  const problems = problemsIn(await admin(`PATCH /api/nodes/${ids.edgeId}`, { tags }));
  expect(Object.keys(problems)).toEqual([field]);
  expect(problems[field]).toMatch(message);
});

it.each([
  ['too long', 'x'.repeat(2001), /2000 characters/],
  ['with a control character', 'a\u001b]0;b', /without control characters/],
  ['that turn the text round', 'a\n\u202eb', /marks that change the direction/],
])('refuses notes that are %s', async (_, notes, message) => {
  expect(problemsIn(await admin(`PATCH /api/nodes/${ids.edgeId}`, { notes }))['notes']).toMatch(message);
});

it('takes no more from a row that was damaged than its own tags', async () => {
  await admin(`PATCH /api/nodes/${ids.siteId}`, { tags: ['lab'] });
  await gateway.store.write((tx) => tx.nodes.update(ids.edgeId, { tags: 'lab' as never }));
  const { body } = await admin('GET /api/nodes?limit=9&tag=lab');
  expect(body).toMatchObject({ total: 1, data: [{ id: ids.siteId }] });
  expect((await admin('GET /api/nodes?limit=9&search=lab')).body).toMatchObject({ total: 1 });
  expect((await admin(`GET /api/nodes/${ids.edgeId}`)).body).toMatchObject({ tags: [] });
});

it('change nothing that nginx or WireGuard is given', async () => {
  const { ingress } = gateway.system;
  const before = ingress.served();
  for (const one of Object.values(kinds).slice(0, 3)) {
    const { one: path } = await one();
    expect((await admin(`PATCH ${path as '/'}`, { tags: ['"; }'], notes: '$host' })).status).toBe(200);
  }
  expect(ingress.served()).toEqual(before);
});

it.each(['nodes', 'domains', 'services', 'services/http', 'services/tcp'])(
  '%s are filtered by ten tags at most',
  async (list) => {
    const tags = Array.from({ length: 11 }, (_, index) => `tag=${index}`);
    expect((await admin(`GET /api/${list}?${tags.slice(1).join('&')}`)).status).toBe(200);
    expect(await admin(`GET /api/${list}?${tags.join('&')}`)).toMatchObject({
      status: 422,
      body: { errors: { query: [{ message: '"tag" must contain less than or equal to 10 items' }] } },
    });
  },
);

describe('an access token of a node', () => {
  it('says tags and notes of its own services, and finds them by their tags', async () => {
    const said = { tags: ['ci'], notes: NOTES };
    expect((await edge(`PATCH /api/cli/services/http/${ids.wikiId}`, said)).body).toMatchObject(said);
    const { body } = await edge('POST /api/cli/expose/tcp', { name: 'ssh', backendPort: 22, ...said });
    expect(body).toMatchObject(said);
    expect((await edge('GET /api/cli/services/tcp?limit=9&tag=CI')).body).toMatchObject({ total: 1 });
    expect((await site(`PATCH /api/cli/services/http/${ids.wikiId}`, said)).status).toBe(404);
  });

  it('does not see those of the node', async () => {
    for (const id of [ids.edgeId, ids.siteId])
      await admin(`PATCH /api/nodes/${id}`, { tags: ['cellar'], notes: NOTES });
    const none = { tags: [], notes: null };
    expect((await edge('GET /api/cli/node')).body).toMatchObject(none);
    const subnet = { gatewayNetwork: '10.1.0.0/24' };
    expect((await site('PATCH /api/cli/node/gateway', subnet)).body).toMatchObject(none);
    expect((await edge('PATCH /api/cli/regenerate')).body).toMatchObject(none);
    expect((await admin(`GET /api/nodes/${ids.siteId}`)).body).toMatchObject({ tags: ['cellar'], notes: NOTES });
  });
});

it('a token of a program says those of the nodes that it is for', async () => {
  const scope = ['nodes:write'];
  const { body } = await admin('POST /api/tokens', { name: 'ci', scope, nodes: [ids.edgeId] });
  const program = testApi(gateway, String(body['token']));
  const said = { tags: ['ci'], notes: NOTES };
  expect((await program(`PATCH /api/nodes/${ids.edgeId}`, said)).body).toMatchObject(said);
  expect((await program(`PATCH /api/nodes/${ids.siteId}`, said)).status).toBe(404);
});
