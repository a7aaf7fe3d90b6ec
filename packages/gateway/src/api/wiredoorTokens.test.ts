import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestGateway, type TestGateway } from '../testing.ts';
import { signedByWiredoor } from '../testing/wiredoorDirectory.ts';
import { Secret } from '../vault/secret.ts';
import { awaitedHash, hashOfToken } from './authenticate.ts';

// Access tokens that a Wiredoor server made, on a gateway that took its nodes over.

const KEY = 'c2lnbmluZyBrZXkgb2YgV2lyZWRvb3I=';
let gateway: TestGateway;
let nodeId: number;

beforeAll(async () => {
  gateway = await createTestGateway({ wiredoorTokenKey: new Secret(KEY) });
  ({ edgeId: nodeId } = await gateway.seed());
  const token = { nodeId, name: 'default', revoked: false, lastUsedAt: null };
  await gateway.store.write(async (tx) => {
    await tx.tokens.create({ ...token, expireAt: null, tokenHash: awaitedHash(7) });
    await tx.tokens.create({ ...token, expireAt: '2026-11-01T00:00:00.000Z', tokenHash: awaitedHash(8) });
    await tx.tokens.create({ ...token, expireAt: null, tokenHash: awaitedHash(9) });
    await tx.settings.set('wiredoorTokenKey', 'sealed');
  });
});
afterAll(() => gateway.stop());

const signed = (claims: object, key = KEY, algorithm = 'HS256'): string => signedByWiredoor(claims, key, algorithm);
const ask = async (token: string, path = '/api/cli/node') =>
  gateway.fetch(path, { headers: { authorization: `Bearer ${token}` } });
const hashes = async () => (await gateway.store.tokens.all({ nodeId })).map(({ tokenHash }) => tokenHash);

it.each<[string, string]>([
  ['another key', signed({ id: 7, type: 'client' }, 'another key')],
  ['the key of an administrator', signed({ id: 7, type: 'admin', name: 'admin' })],
  ['no signature', `${signed({ id: 7, type: 'client' }).split('.')[0]}.`],
  ['another algorithm', signed({ id: 7, type: 'client' }, KEY, 'none')],
  ['a number that no token has', signed({ id: 70, type: 'client' })],
  ['the number of one that expired', signed({ id: 8, type: 'client' })],
  ['a text for a number', signed({ id: '7', type: 'client' })],
  ['what stands for its hash', awaitedHash(7)],
])('refuses a token with %s', async (_, token) => {
  expect((await ask(token)).status).toBe(401);
  expect(await hashes()).toContain(awaitedHash(7));
});

it('takes each for its node, and knows it by its hash from then on', async () => {
  const token = signed({ id: 7, type: 'client', iat: 1_700_000_000 });
  const answers = await Promise.all([ask(token), ask(token), ask(token, '/api/config')]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await answers[0]?.json()).toMatchObject({ id: nodeId, name: 'edge' });
  expect(await hashes()).toContain(hashOfToken(token));
  // The key still makes tokens, and this one has been used.
  expect((await ask(signed({ id: 7, type: 'client', iat: 1_700_000_001 }))).status).toBe(401);
});

it('forgets the key with the last of them', async () => {
  expect(await gateway.store.settings.get('wiredoorTokenKey')).toBe('sealed');
  expect((await ask(signed({ id: 9, type: 'client' }))).status).toBe(200);
  expect(await gateway.store.settings.get('wiredoorTokenKey')).toBeNull();
});
