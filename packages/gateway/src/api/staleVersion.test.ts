import { endpoints } from '@sallyport/sdk/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { seedEachTest, type SeededGateway, type TestApi } from '../testing/testApi.ts';

let { gateway, admin: api, ids }: SeededGateway = {} as never;
seedEachTest((seeded) => ({ gateway, admin: api, ids } = seeded));
let tcpId: number;
let tokenId: number;

beforeEach(async () => {
  const tcp = await api(`POST /api/services/${ids.edgeId}/tcp`, { name: 'Broker', backendPort: 1883 });
  tcpId = Number(tcp.body['id']);
  tokenId = Number((await api(`POST /api/nodes/${ids.edgeId}/pats`, { name: 'ci' })).body['id']);
});

type Edit = {
  call: () => Parameters<TestApi>[0];
  body?: object;
  /** The row that the call changes. */
  row: () => Promise<{ version: number } | null>;
  /** Changes the row as another administrator would. */
  other: () => Promise<unknown>;
};

const node = { row: () => gateway.store.nodes.get(ids.edgeId), path: () => `/api/nodes/${ids.edgeId}` };
const domain = { row: () => gateway.store.domains.get(ids.domainId), path: () => `/api/domains/${ids.domainId}` };
const http = {
  row: () => gateway.store.httpServices.get(ids.appId),
  path: () => `/api/services/1/http/${ids.appId}`,
};
const tcp = {
  row: () => gateway.store.tcpServices.get(tcpId),
  path: () => `/api/services/${ids.edgeId}/tcp/${tcpId}`,
};
const token = { row: () => gateway.store.tokens.get(tokenId), path: () => `/api/nodes/${ids.edgeId}/pats/${tokenId}` };

const otherNode = () => gateway.store.write((tx) => tx.nodes.update(ids.edgeId, { keepalive: 25 }));
const otherDomain = () =>
  gateway.store.write((tx) =>
    tx.domains.update(ids.domainId, { authentication: true, allowedEmails: ['new@example.test'] }),
  );
const otherHttp = () => gateway.store.write((tx) => tx.httpServices.update(ids.appId, { backendPort: 9000 }));
const otherTcp = () => gateway.store.write((tx) => tx.tcpServices.update(tcpId, { backendPort: 9000 }));
const otherToken = () =>
  gateway.store.write((tx) => tx.tokens.update(tokenId, { expireAt: '2027-01-01T00:00:00.000Z' }));

const edit = (
  method: 'PATCH' | 'DELETE',
  { row, path }: typeof node | typeof domain | typeof http | typeof tcp | typeof token,
  other: Edit['other'],
  more: { below?: string; body?: object } = {},
): Edit => ({
  call: () => `${method} ${path()}${more.below ?? ''}` as Parameters<TestApi>[0],
  ...(more.body && { body: more.body }),
  row,
  other,
});

const NAME = { body: { name: 'Mine' } };
const EDITS: Record<string, Edit> = {
  'node.update': edit('PATCH', node, otherNode, NAME),
  'node.enable': edit('PATCH', node, otherNode, { below: '/enable' }),
  'node.disable': edit('PATCH', node, otherNode, { below: '/disable' }),
  'node.remove': edit('DELETE', node, otherNode),
  'domain.update': edit('PATCH', domain, otherDomain, { body: { skipValidation: true } }),
  'domain.remove': edit('DELETE', domain, otherDomain),
  'httpService.update': edit('PATCH', http, otherHttp, NAME),
  'httpService.enable': edit('PATCH', http, otherHttp, { below: '/enable' }),
  'httpService.disable': edit('PATCH', http, otherHttp, { below: '/disable' }),
  'httpService.remove': edit('DELETE', http, otherHttp),
  'tcpService.update': edit('PATCH', tcp, otherTcp, NAME),
  'tcpService.enable': edit('PATCH', tcp, otherTcp, { below: '/enable' }),
  'tcpService.disable': edit('PATCH', tcp, otherTcp, { below: '/disable' }),
  'tcpService.remove': edit('DELETE', tcp, otherTcp),
  'token.revoke': edit('PATCH', token, otherToken, { below: '/revoke' }),
  'token.remove': edit('DELETE', token, otherToken),
};

it('knows every call of an administrator that changes one thing', () => {
  const known = endpoints
    .filter(({ endpoint: { method, access, params } }) => access === 'admin' && params && /PATCH|DELETE/.test(method))
    .map(({ name }) => name);
  expect(Object.keys(EDITS).toSorted()).toEqual(known.toSorted());
});

describe.each(Object.entries(EDITS))('%s', (_, { call, body, row, other }) => {
  it('changes nothing when somebody else was first, and does what is asked with the version that is there', async () => {
    const before = await row();
    await other();
    const stored = await row();
    const stale = await api(call(), body, { 'if-match': `"${before?.version}"` });
    expect([stale.status, stale.body['message']]).toEqual([
      412,
      'It was changed by someone else in the meantime. Load it again and repeat your change.',
    ]);
    expect(await row()).toEqual(stored);
    expect(await api(call(), body, { 'if-match': `"${stored?.version}"` })).toMatchObject({ status: 200 });
  });
});

it('notices a domain that changes while it is asked whether it points here', async () => {
  gateway.world.setPointsHere(async () => {
    await otherDomain();
    return true;
  });
  const version = (await domain.row())?.version;
  const stale = { 'if-match': `"${version}"` };
  const reply = await api(`PATCH /api/domains/${ids.domainId}`, { skipValidation: false }, stale);
  expect(reply.status).toBe(412);
  expect(await domain.row()).toMatchObject({ skipValidation: true, allowedEmails: ['new@example.test'] });
});
