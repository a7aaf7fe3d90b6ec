import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  certificateFile,
  expose,
  openReconcileTrial,
  PORTS,
  type ReconcileTrial,
  save,
  startBackend,
} from '../testing/reconcileTrial.ts';

// Who may visit a service: visitors come from 127.0.0.1 and from ::1.

let trial: ReconcileTrial;
let stop: () => Promise<void>;
let id: number;
const host = 'lists.example.test';

beforeAll(async () => {
  trial = await openReconcileTrial({ listen: ['127.0.0.1', '[::1]'] });
  const backend = await startBackend((_request, response) => response.end('in'));
  stop = backend.stop;
  id = (await expose(trial, host, backend.port)).value.id;
});
afterAll(async () => {
  await trial.close();
  await stop();
});

async function statusFrom(address: '127.0.0.1' | '::1', path = '/'): Promise<number> {
  const ca = readFileSync(certificateFile(trial, host));
  const to = { host: address, localAddress: address, port: PORTS.https, servername: host, ca, agent: false } as const;
  const [response] = (await once(get({ ...to, path, headers: { host } }), 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode ?? 0;
}

/** Who gets in with these lists. */
async function visitors(allowedIps: string[] | null, blockedIps: string[] | null): Promise<string> {
  const { rejected } = await save(trial, (tx) => tx.httpServices.update(id, { allowedIps, blockedIps }));
  expect(rejected).toBeNull();
  const [four, six] = [await statusFrom('127.0.0.1'), await statusFrom('::1')];
  for (const status of [four, six]) expect([200, 403]).toContain(status);
  return [four === 200 && 'IPv4', six === 200 && 'IPv6'].filter(Boolean).join(' and ') || 'nobody';
}

/** Entries that are nobody's who comes here: with them a list is so long that it is rendered as a tree. */
const others = Array.from({ length: 40 }, (_, index) => `203.0.113.${index}`);
const lengthened = (list: string[] | null): string[] | null =>
  list === null || list.length === 0 ? list : [...others.slice(20), ...list, ...others.slice(0, 20)];

describe.each([
  ['short', (list: string[] | null) => list],
  ['long', lengthened],
])('%s allow and block lists', (_length, given) => {
  it.each<[string, string[] | null, string[] | null, string]>([
    ['no list', null, null, 'IPv4 and IPv6'],
    ['empty lists', [], [], 'IPv4 and IPv6'],
    ['a block of an IPv4 address', null, ['127.0.0.1'], 'IPv6'],
    ['a block of an IPv4 network', null, ['192.0.2.0/24', '127.0.0.0/8'], 'IPv6'],
    ['a block of all of IPv4', null, ['0.0.0.0/0'], 'IPv6'],
    ['a block of an IPv6 address', null, ['::1'], 'IPv4'],
    ['a block of an IPv6 network', null, ['2001:db8::/32', '::/64'], 'IPv4'],
    ['a block of all of IPv6', null, ['::/0'], 'IPv4'],
    ['a block of everybody', null, ['0.0.0.0/0', '::/0'], 'nobody'],
    ['a block of others', null, ['127.0.0.2', '::2', '192.0.2.0/24'], 'IPv4 and IPv6'],
    ['a network whose last bits are set', null, ['127.99.1.2/8'], 'IPv6'],
    ['an IPv4 address in the spelling of IPv6', null, ['::ffff:127.0.0.1'], 'IPv6'],
    ['an IPv4 network in the spelling of IPv6', null, ['::ffff:7f00:0/104'], 'IPv6'],
    ['an IPv6 address in its long form', null, ['0:0:0:0:0:0:0:1'], 'IPv4'],
    ['an IPv4 address alone that is allowed', ['127.0.0.1'], null, 'IPv4'],
    ['an IPv6 network alone that is allowed', ['::/96'], null, 'IPv6'],
    ['both families allowed', ['127.0.0.0/8', '::1/128'], null, 'IPv4 and IPv6'],
    ['all of IPv4 allowed', ['0.0.0.0/0'], null, 'IPv4'],
    ['an allowed address in the spelling of IPv6', ['::FFFF:127.0.0.1/128'], null, 'IPv4'],
    ['others allowed', ['192.0.2.1', '2001:db8::/32'], null, 'nobody'],
    ['the same allowed and blocked', ['127.0.0.1', '::1'], ['127.0.0.1'], 'IPv6'],
    ['a network allowed and one of its addresses blocked', ['127.0.0.0/8'], ['127.0.0.1'], 'nobody'],
    ['an address allowed and its network blocked', ['127.0.0.1', '::1'], ['127.0.0.0/8'], 'IPv6'],
    ['an address alone that nobody can have', ['255.255.255.255'], null, 'nobody'],
    ['a network whose last bits are all set', null, ['255.255.255.255/0'], 'IPv6'],
    ['an address in which `::` stands for one group', ['0:0:0:0:0:0::1'], ['1:2:3:4:5:6:7::'], 'IPv6'],
    ['both lists, neither of which names the visitor', ['192.0.2.0/24'], ['198.51.100.0/24'], 'nobody'],
  ])('let the right ones in with %s', async (_, allowed, blocked, expected) => {
    expect(await visitors(given(allowed), given(blocked))).toBe(expected);
  });

  it('of one path are none of another', async () => {
    const { value } = await expose(trial, host, (await trial.store.httpServices.get(id))?.backendPort ?? 0, {
      pathLocation: '/inner',
      blockedIps: ['127.0.0.1'],
    });
    expect(await visitors(null, ['::1'])).toBe('IPv4');
    expect([await statusFrom('127.0.0.1', '/inner/x'), await statusFrom('::1', '/inner/x')]).toEqual([403, 200]);
    await save(trial, (tx) => tx.httpServices.remove(value.id));
  });

  it('give nginx nothing to warn of at each load', async () => {
    const again = ['127.99.1.2/8', '127.0.0.0/8', '2001:db8::7/32', '2001:DB8:0::/32', '::ffff:7f00:9/104'];
    const errors = (): string => readFileSync(trial.ingress.layout.errorLog, 'utf8');
    const before = errors();
    await visitors(given(again), given(again));
    expect(errors().slice(before.length)).not.toMatch(/\[warn\]/);
  });

  it('may be ten thousand long', async () => {
    const many = Array.from({ length: 9_999 }, (_, index) => `198.18.${index >> 8}.${index & 255}`);
    expect(await visitors(null, [...many, '::1'])).toBe('IPv4');
  });
});
