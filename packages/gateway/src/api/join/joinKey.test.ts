import { describe, expect, it } from 'vitest';
import {
  problemsIn,
  seedEachTest,
  type SeededGateway,
  testApi,
  type TestApi,
  type TestReply,
} from '../../testing/testApi.ts';
import { hashOfToken } from '../authenticate.ts';
import { isLike } from './joinKey.ts';
import { joinCommand } from './joinScript.ts';

let { gateway, admin, ids }: SeededGateway = {} as never;
let stranger: TestApi;
seedEachTest((seeded) => {
  ({ gateway, admin, ids } = seeded);
  stranger = testApi(gateway, null);
});

const HOUR_MS = 3_600_000;
const CLAIM = 'claim-of-the-first-host';
const make = async (body: object = {}): Promise<{ id: number; code: string; body: TestReply['body'] }> => {
  const reply = await admin('POST /api/join-keys', { name: 'racks', ...body });
  expect(reply.status).toBe(200);
  return { id: Number(reply.body['id']), code: String(reply.body['code']), body: reply.body };
};
const join = (code: string, body: object = {}): Promise<TestReply> =>
  stranger('POST /api/join', { code, claim: CLAIM, name: 'web-1', ...body });
const refusedAs = async (reply: Promise<TestReply>): Promise<unknown[]> => {
  const { status, body } = await reply;
  return [status, body['message']];
};

describe('a join key', () => {
  it('is shown with its code once, and with a line that has no secret in it', async () => {
    const { id, code, body } = await make();
    expect(code).toMatch(/^(?:[0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/);
    const command = String(body['command']);
    expect(command).toMatch(/^curl -fsSk --pinnedpubkey 'sha256\/\/[\w+/]{43}=' https:\/\/\S+\/join \| sudo sh$/);
    expect(command).not.toContain(code);
    const list = await admin('GET /api/join-keys?limit=5');
    expect(list.body['data']).toMatchObject([{ id, name: 'racks', nodeId: null, reusable: false, uses: 0 }]);
    for (const secret of [code, code.replaceAll('-', ''), hashOfToken(code.replaceAll('-', ''))])
      expect(JSON.stringify(list.body)).not.toContain(secret);
  });

  it.each([
    ['localhost', null],
    ['gw.localhost', null],
    ['127.0.0.1', null],
    ['::1', null],
    ['0.0.0.0', null],
    ['box', 'https://box:9443/join'],
    ['192.168.1.5', 'https://192.168.1.5:9443/join'],
    ['2001:db8::5', 'https://[2001:db8::5]:9443/join'],
  ])('has no line by which a host would ask itself: %s', (vpnHost, url) => {
    expect(joinCommand({ vpnHost, consolePort: 9443, keyPin: 'x' })?.match(/https:\S+/)?.[0] ?? null).toBe(url);
  });

  it('lasts for a day unless it is said, and never begins in the past', async () => {
    const { body } = await make();
    expect(Date.parse(String(body['expireAt'])) - gateway.clock.now().getTime()).toBe(24 * HOUR_MS);
    const past = await admin('POST /api/join-keys', { name: 'racks', expireAt: '2020-01-01' });
    expect(problemsIn(past)).toEqual({ expireAt: 'This field must be greater than or equal to now' });
  });

  it('is for a node that there is, and then says nothing of a new one', async () => {
    expect((await admin('POST /api/join-keys', { name: 'racks', nodeId: 987 })).status).toBe(404);
    const mixed = await admin('POST /api/join-keys', {
      name: 'racks',
      nodeId: ids.edgeId,
      reusable: true,
      namePattern: 'web-*',
    });
    expect(Object.keys(problemsIn(mixed))).toEqual(['reusable', 'namePattern']);
  });

  it('is gone with its node', async () => {
    const { code } = await make({ nodeId: ids.edgeId });
    await admin(`DELETE /api/nodes/${ids.edgeId}`);
    expect((await join(code)).status).toBe(401);
  });
});

describe('joining', () => {
  it('makes the host a node with a token of its own, however the code is typed', async () => {
    const { code } = await make();
    const { status, body } = await join(` ${code.toLowerCase().replaceAll('-', ' ').replace('0', 'o')}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: 'web-1', isGateway: false, enabled: true });
    const own = await testApi(gateway, String(body['token']))('GET /api/cli/node');
    expect(own.body).toMatchObject({ id: body['id'], name: 'web-1' });
    expect((await admin('GET /api/join-keys?limit=5')).body['data']).toMatchObject([{ uses: 1 }]);
  });

  it('as a node that there is keeps its name', async () => {
    const { code } = await make({ nodeId: ids.edgeId });
    expect((await join(code)).body).toMatchObject({ id: ids.edgeId, name: 'edge' });
  });

  it('is done once, also when the answer was lost', async () => {
    const { code } = await make();
    const first = await join(code);
    const again = await join(code);
    expect(again.body['id']).toBe(first.body['id']);
    // The first token never arrived.
    expect((await testApi(gateway, String(first.body['token']))('GET /api/cli/node')).status).toBe(401);
    expect((await testApi(gateway, String(again.body['token']))('GET /api/cli/node')).status).toBe(200);
    // Someone has the token by now, and needs no other.
    expect((await join(code)).status).toBe(409);
    const other = join(code, { claim: 'claim-of-another-host', name: 'web-2' });
    expect(await refusedAs(other)).toEqual([401, 'This code was used already. Ask for a new one.']);
  });

  it('by a reusable key makes as many nodes as there are hosts', async () => {
    const { code } = await make({ reusable: true, namePattern: 'web-*' });
    for (const at of [1, 2, 3]) {
      expect((await join(code, { claim: `${CLAIM}-${at}`, name: `web-${at}` })).status).toBe(200);
    }
    const taken = await join(code, { claim: `${CLAIM}-4`, name: 'WEB-1' });
    expect(problemsIn(taken)).toHaveProperty('name');
    const unlike = await join(code, { claim: `${CLAIM}-4`, name: 'db-1' });
    expect(problemsIn(unlike)).toEqual({ name: 'The name must be like web-*' });
  });

  it('is refused with a code that is wrong, has expired or was deleted', async () => {
    const { id, code } = await make();
    expect(await refusedAs(join('0000-0000-0000-0000'))).toEqual([
      401,
      'The gateway does not know this code. Look at it again.',
    ]);
    gateway.clock.advance(24 * HOUR_MS);
    expect(await refusedAs(join(code))).toEqual([401, 'This code has expired. Ask for a new one.']);
    await admin(`DELETE /api/join-keys/${id}`);
    expect((await join(code)).status).toBe(401);
    expect(await gateway.store.nodes.all({ name: 'web-1' })).toEqual([]);
  });

  it('as a gateway needs its subnet, which has to be a private one', async () => {
    const { code } = await make({ isGateway: true });
    const behind = (subnet: string) => ({ gatewayNetworks: [{ interface: 'eth0', subnet }] });
    expect(problemsIn(await join(code))).toHaveProperty('gatewayNetworks');
    expect((await join(code, behind('8.0.0.0/8'))).status).toBe(422);
    expect((await join(code, behind('192.168.50.0/24'))).body).toMatchObject({ isGateway: true });
    const plain = await make();
    expect((await join(plain.code, { name: 'web-2', ...behind('192.168.51.0/24') })).status).toBe(422);
  });
});

it.each([
  ['web-1', 'web-*', true],
  ['web-', 'web-*', true],
  ['my-web-1', 'web-*', false],
  ['web-1', 'web-1', true],
  ['web-10', 'web-1', false],
  ['a-b-c', 'a*b*c', true],
  ['abab', 'ab*b*ab', false],
  ['aba', 'ab*ba', false],
  ['', '*', true],
])('%s is like %s: %s', (name, like, expected) => {
  expect(isLike(name, like)).toBe(expected);
});
