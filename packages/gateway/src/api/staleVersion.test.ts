import { isDeepStrictEqual } from 'node:util';
import { endpoints } from '@sallyport/sdk/contract';
import { beforeEach, expect, it } from 'vitest';
import { PUBLIC_ADDRESS } from '../testing/fakeSystem.ts';
import { asNode, seedEachTest, type SeededGateway, type TestApi } from '../testing/testApi.ts';

let { gateway, admin: api, ids }: SeededGateway = {} as never;
seedEachTest((seeded) => ({ gateway, admin: api, ids } = seeded));
let tcpId: number;
let tokenId: number;
let joinKeyId: number;
let apiTokenId: number;

beforeEach(async () => {
  const tcp = await api(`POST /api/services/${ids.edgeId}/tcp`, { name: 'Broker', backendPort: 1883 });
  tcpId = Number(tcp.body['id']);
  tokenId = Number((await api(`POST /api/nodes/${ids.edgeId}/pats`, { name: 'ci' })).body['id']);
  joinKeyId = Number((await api('POST /api/join-keys', { name: 'racks' })).body['id']);
  apiTokenId = Number((await api('POST /api/tokens', { name: 'ci', scope: ['nodes:read'] })).body['id']);
});

type Kind = {
  path: () => string;
  /** The row that the call changes. */
  row: () => Promise<{ version: number } | null>;
  /** Changes the row as another administrator would. */
  other: () => Promise<unknown>;
};
const write: SeededGateway['gateway']['store']['write'] = (work) => gateway.store.write(work);

const KINDS = {
  node: {
    path: () => `/api/nodes/${ids.edgeId}`,
    row: () => gateway.store.nodes.get(ids.edgeId),
    other: () => write((tx) => tx.nodes.update(ids.edgeId, { keepalive: 25 })),
  },
  domain: {
    path: () => `/api/domains/${ids.domainId}`,
    row: () => gateway.store.domains.get(ids.domainId),
    other: () =>
      write((tx) => tx.domains.update(ids.domainId, { authentication: true, allowedEmails: ['new@example.test'] })),
  },
  httpService: {
    path: () => `/api/services/1/http/${ids.appId}`,
    row: () => gateway.store.httpServices.get(ids.appId),
    other: () => write((tx) => tx.httpServices.update(ids.appId, { backendPort: 9000 })),
  },
  tcpService: {
    path: () => `/api/services/${ids.edgeId}/tcp/${tcpId}`,
    row: () => gateway.store.tcpServices.get(tcpId),
    other: () => write((tx) => tx.tcpServices.update(tcpId, { backendPort: 9000 })),
  },
  token: {
    path: () => `/api/nodes/${ids.edgeId}/pats/${tokenId}`,
    row: () => gateway.store.tokens.get(tokenId),
    other: () => write((tx) => tx.tokens.update(tokenId, { expireAt: '2027-01-01T00:00:00.000Z' })),
  },
  joinKey: {
    path: () => `/api/join-keys/${joinKeyId}`,
    row: () => gateway.store.joinKeys.get(joinKeyId),
    other: () => write((tx) => tx.joinKeys.update(joinKeyId, { name: 'other' })),
  },
  apiToken: {
    path: () => `/api/tokens/${apiTokenId}`,
    row: () => gateway.store.apiTokens.get(apiTokenId),
    other: () => write((tx) => tx.apiTokens.update(apiTokenId, { name: 'other' })),
  },
} satisfies Record<string, Kind>;

/** The calls that change one thing: of which kind, what they add to its path, and their body. */
const EDITS: [name: string, below?: string, body?: object][] = [
  ...['node', 'httpService', 'tcpService'].flatMap((kind): typeof EDITS => [
    [`${kind}.update`, '', { name: 'Mine' }],
    [`${kind}.enable`, '/enable'],
    [`${kind}.disable`, '/disable'],
    [`${kind}.remove`],
  ]),
  ['domain.update', '', { skipValidation: true }],
  ['domain.remove'],
  ['token.revoke', '/revoke'],
  ['token.remove'],
  ['joinKey.remove'],
  ['apiToken.remove'],
];

it('knows every call of an administrator that changes one thing', () => {
  const known = endpoints
    .filter(({ endpoint: { method, access, params } }) => access === 'admin' && params && /PATCH|DELETE/.test(method))
    // A session has no version.
    .filter(({ name }) => name !== 'session.end')
    .map(({ name }) => name);
  expect(EDITS.map(([name]) => name).toSorted()).toEqual(known.toSorted());
});

/** What is answered to the version before someone else's change, what the row is then, and the status with that version. */
async function outcomes(
  caller: TestApi,
  call: Parameters<TestApi>[0],
  body: object | undefined,
  { row, other }: Pick<Kind, 'row' | 'other'>,
) {
  const before = await row();
  await other();
  const stored = await row();
  const stale = await caller(call, body, { 'if-match': `"${before?.version}"` });
  const left = await row();
  const { status } = await caller(call, body, { 'if-match': `"${left?.version}"` });
  return { stale: [stale.status, stale.body['message']], isKept: isDeepStrictEqual(left, stored), status };
}

const VERSION_COUNTS = {
  stale: [412, 'It was changed by someone else in the meantime. Load it again and repeat your change.'],
  isKept: true,
  status: 200,
};

it.each(EDITS)(
  '%s changes nothing when someone else was first, and does what is asked with the version that is there',
  async (name, below = '', body) => {
    const [kind = '', verb] = name.split('.');
    const { path, ...of } = KINDS[kind as keyof typeof KINDS];
    const call = `${verb === 'remove' ? 'DELETE' : 'PATCH'} ${path()}${below}` as Parameters<TestApi>[0];
    expect(await outcomes(api, call, body, of)).toEqual(VERSION_COUNTS);
  },
);

it.each([['http'], ['tcp']] as const)('a node’s token changes its %s service by the version as well', async (kind) => {
  const { wikiId } = ids;
  const wiki = {
    row: () => gateway.store.httpServices.get(wikiId),
    other: () => write((tx) => tx.httpServices.update(wikiId, { backendPort: 9000 })),
  };
  const edge = await asNode(gateway, api, ids.edgeId);
  const [id, of] = kind === 'http' ? [wikiId, wiki] : [tcpId, KINDS.tcpService];
  for (const [below, body] of [['', { name: 'Mine' }], ['/enable'], ['/disable']] as const) {
    const call = `PATCH /api/cli/services/${kind}/${id}${below}` as const;
    expect(await outcomes(edge, call, body, of)).toEqual(VERSION_COUNTS);
  }
});

it('notices a domain that changes while it is asked whether it points here', async () => {
  gateway.system.nameServers.answer(async () => {
    await KINDS.domain.other();
    return { a: [PUBLIC_ADDRESS] };
  });
  gateway.clock.advance(2000);
  const version = (await KINDS.domain.row())?.version;
  const stale = { 'if-match': `"${version}"` };
  const reply = await api(`PATCH /api/domains/${ids.domainId}`, { skipValidation: false }, stale);
  expect(reply.status).toBe(412);
  expect(await KINDS.domain.row()).toMatchObject({ skipValidation: true, allowedEmails: ['new@example.test'] });
});
