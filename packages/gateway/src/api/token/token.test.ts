import { beforeEach, describe, expect, it } from 'vitest';
import { problemsIn, seedEachTest, type SeededGateway } from '../../testing/testApi.ts';
import { hashOfToken } from '../authenticate.ts';

let { gateway, admin: api, ids }: SeededGateway = {} as never;
seedEachTest((seeded) => ({ gateway, admin: api, ids } = seeded));
let pats: `/api/nodes/${number}/pats`;

beforeEach(async () => {
  pats = `/api/nodes/${ids.edgeId}/pats`;
});

const TOMORROW = '2026-11-22T12:00:00.000Z';
const rows = async (path: `/${string}` = pats) => (await api(`GET ${path}?limit=5`)).body['data'] as { id: number }[];
const made = async (name: string) => Number((await api(`POST ${pats}`, { name })).body['id']);

describe('making', () => {
  it('answers the secret, this once, and keeps nothing but its hash', async () => {
    const { status, body } = await api(`POST ${pats}`, { name: 'ci', expireAt: TOMORROW });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      nodeId: ids.edgeId,
      name: 'ci',
      expireAt: TOMORROW,
      revoked: false,
      lastUsedAt: null,
      version: 1,
    });
    const secret = String(body['token']);
    expect(secret).toMatch(/^spn_[\w-]{43}$/);
    expect(JSON.stringify(await rows())).not.toContain(secret);
    expect(JSON.stringify(await rows())).not.toContain(hashOfToken(secret));
    expect(await gateway.store.tokens.get(Number(body['id']))).toMatchObject({ tokenHash: hashOfToken(secret) });
  });

  it.each([
    ['left out', {}, null],
    ['null', { expireAt: null }, null],
    ['""', { expireAt: '' }, null],
    ['a date', { expireAt: '2027-01-31' }, '2027-01-31T00:00:00.000Z'],
    ['a time in another zone', { expireAt: '2027-01-31T23:59:59+02:00' }, '2027-01-31T21:59:59.000Z'],
    ['this very moment', { expireAt: '2026-11-21T12:00:00Z' }, '2026-11-21T12:00:00.000Z'],
  ])('takes an end that is %s', async (_, end, expireAt) => {
    const { status, body } = await api(`POST ${pats}`, { name: 'ci', ...end });
    expect(status).toBe(200);
    expect(body['expireAt']).toBe(expireAt);
  });

  it.each([
    ['no name', { name: ' ' }, { name: 'This field is not allowed to be empty' }],
    [
      'an end that is past',
      { expireAt: '2026-11-21' },
      { expireAt: 'This field must be greater than or equal to now' },
    ],
    ['an end that is none', { expireAt: 'soon' }, { expireAt: 'This field must be a valid date' }],
    ['to be told that it is revoked', { revoked: true }, { revoked: '"revoked" is not allowed' }],
  ])('refuses %s, next to the field', async (_, change, problems) => {
    const reply = await api(`POST ${pats}`, { name: 'ci', ...change });
    expect(reply.status).toBe(422);
    expect(problemsIn(reply)).toEqual(problems);
    expect(await rows()).toHaveLength(1);
  });

  it('refuses the local node, which has none', async () => {
    const { status, body } = await api('POST /api/nodes/1/pats', { name: 'ci' });
    expect(status).toBe(400);
    expect(body['message']).toBe("Local node can't have access tokens");
    expect(await rows('/api/nodes/1/pats')).toEqual([]);
  });
});

describe('the list', () => {
  it('has the tokens of that node alone, in pages', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await made(name);
    const { body } = await api(`GET ${pats}?page=2&limit=5&orderBy=name,desc`);
    expect(body).toMatchObject({ page: 2, limit: 5, total: 6, data: [{ name: 'a', nodeId: ids.edgeId }] });
    expect(await rows(`/api/nodes/${ids.siteId}/pats`)).toMatchObject([{ name: 'default', nodeId: ids.siteId }]);
  });
});

describe('revoking', () => {
  it('is kept, and is all right a second time', async () => {
    const id = await made('ci');
    for (let times = 0; times < 2; times += 1) {
      const { status, body } = await api(`PATCH ${pats}/${id}/revoke`);
      expect(status).toBe(200);
      expect(body).toMatchObject({ id, revoked: true, version: 2 });
      expect(body).not.toHaveProperty('token');
    }
    expect(await rows()).toMatchObject([{ revoked: false }, { id, revoked: true }]);
  });
});

describe('deleting', () => {
  it('takes the token away for good', async () => {
    const id = await made('ci');
    expect(await api(`DELETE ${pats}/${id}`)).toMatchObject({ status: 200, body: 'Deleted!' });
    expect(await rows()).toHaveLength(1);
    expect((await api(`DELETE ${pats}/${id}`)).status).toBe(404);
  });
});
