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
  serviceRow,
  startBackend,
  visit,
} from '../testing/reconcileTrial.ts';
import { LONG_SPELLINGS, OTHER_PATHS, spelledAtLength, SPELLINGS } from '../testing/spellings.ts';

// Who may visit a service: visitors come from 127.0.0.1 and from ::1.

let trial: ReconcileTrial;
let port: number;
let id: number;
const host = 'lists.example.test';

beforeAll(async () => {
  trial = await openReconcileTrial({ listen: ['127.0.0.1', '[::1]'] });
  ({ port } = await startBackend((request, response) => response.end(request.url)));
  id = (await expose(trial, host, port)).value.id;
});
afterAll(() => trial.close());

async function statusFrom(address: '127.0.0.1' | '::1', path = '/'): Promise<number> {
  const ca = readFileSync(certificateFile(trial, host));
  const to = { host: address, localAddress: address, port: PORTS.https, servername: host, ca, agent: false } as const;
  const [response] = (await once(get({ ...to, path, headers: { host } }), 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode ?? 0;
}

/** Who gets in at a path. */
async function visitors(path = '/'): Promise<string> {
  const [four, six] = [await statusFrom('127.0.0.1', path), await statusFrom('::1', path)];
  for (const status of [four, six]) expect([200, 403]).toContain(status);
  return [four === 200 && 'IPv4', six === 200 && 'IPv6'].filter(Boolean).join(' and ') || 'none';
}

type Lists = [name: string, allowedIps: string[] | null, blockedIps: string[] | null, visitors: string];
const LISTS: Lists[] = [
  ['no list', null, null, 'IPv4 and IPv6'],
  ['empty lists', [], [], 'IPv4 and IPv6'],
  ['a block of an IPv4 address', null, ['127.0.0.1'], 'IPv6'],
  ['a block of an IPv4 network', null, ['192.0.2.0/24', '127.0.0.0/8'], 'IPv6'],
  ['a block of all of IPv4', null, ['0.0.0.0/0'], 'IPv6'],
  ['a block of an IPv6 address', null, ['::1'], 'IPv4'],
  ['a block of an IPv6 network', null, ['2001:db8::/32', '::/64'], 'IPv4'],
  ['a block of all of IPv6', null, ['::/0'], 'IPv4'],
  ['a block of all', null, ['0.0.0.0/0', '::/0'], 'none'],
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
  ['others allowed', ['192.0.2.1', '2001:db8::/32'], null, 'none'],
  ['the same allowed and blocked', ['127.0.0.1', '::1'], ['127.0.0.1'], 'IPv6'],
  ['a network allowed and one of its addresses blocked', ['127.0.0.0/8'], ['127.0.0.1'], 'none'],
  ['an address allowed and its network blocked', ['127.0.0.1', '::1'], ['127.0.0.0/8'], 'IPv6'],
  ['an address alone that no visitor can have', ['255.255.255.255'], null, 'none'],
  ['a network whose last bits are all set', null, ['255.255.255.255/0'], 'IPv6'],
  ['an address in which `::` stands for one group', ['0:0:0:0:0:0::1'], ['1:2:3:4:5:6:7::'], 'IPv6'],
  ['both lists, neither of which names the visitor', ['192.0.2.0/24'], ['198.51.100.0/24'], 'none'],
];

/** Entries of no visitor who comes here: with them a list is so long that it is rendered as a tree. */
const others = Array.from({ length: 40 }, (_, index) => `203.0.113.${index}`);
const lengthened = (list: string[] | null): string[] | null =>
  list === null || list.length === 0 ? list : [...others.slice(20), ...list, ...others.slice(0, 20)];

const LENGTHS: [length: string, given: typeof lengthened][] = [
  ['short', (list) => list],
  ['long', lengthened],
];

it.each(LENGTHS)('%s lists give nginx nothing to warn of at each load', async (_length, given) => {
  const list = given(['127.99.1.2/8', '127.0.0.0/8', '2001:db8::7/32', '2001:DB8:0::/32', '::ffff:7f00:9/104', '::/0']);
  const errors = (): string => readFileSync(trial.ingress.layout.errorLog, 'utf8');
  const before = errors();
  await save(trial, (tx) => tx.httpServices.update(id, { allowedIps: list, blockedIps: list }));
  expect(errors().slice(before.length)).not.toMatch(/\[warn\]/);
});

describe.each(LENGTHS)('%s allow and block lists', (length, given) => {
  // Each is of a path of its own: what one says is not for another.
  beforeAll(async () => {
    await save(trial, async (tx) => {
      for (const [index, [, allowed, blocked]] of LISTS.entries()) {
        const lists = { allowedIps: given(allowed), blockedIps: given(blocked) };
        const row = serviceRow(port, { domain: host, pathLocation: `/${length}/${index}`, ...lists });
        await tx.httpServices.create(row);
      }
    });
  });

  it.each(LISTS.map(([name, , , expected], index) => ({ name, expected, path: `/${length}/${index}` })))(
    'let the right ones in with $name',
    async ({ path, expected }) => {
      expect(await visitors(path)).toBe(expected);
    },
  );
});

it('a list may be ten thousand long', async () => {
  const many = Array.from({ length: 9_999 }, (_, index) => `198.18.${index >> 8}.${index & 255}`);
  await save(trial, (tx) => tx.httpServices.update(id, { allowedIps: null, blockedIps: [...many, '::1'] }));
  expect(await visitors()).toBe('IPv4');
});

describe('a path with a list, and one without in front of the same backend', () => {
  const spelledHost = 'spelled.example.test';
  let admin: number;
  beforeAll(async () => {
    await expose(trial, spelledHost, port);
    const listed = { pathLocation: '/team/Admin.1', blockedIps: ['127.0.0.1'] };
    admin = (await expose(trial, spelledHost, port, listed)).value.id;
    await expose(trial, spelledHost, port, { pathLocation: '/team/Admin.1/free' });
  });

  const statusOf = async (path: string): Promise<number> => (await visit(trial, spelledHost, { path })).status;

  it.each(SPELLINGS)('no spelling leads past the list: %s', async (path) => {
    expect([400, 403]).toContain(await statusOf(path));
  });

  it.each(LONG_SPELLINGS)('no length of a spelling leads past the list: %s%s…%s', async (...parts) => {
    for (const path of spelledAtLength(parts)) expect([400, 403, 414]).toContain(await statusOf(path));
  });

  it.each(OTHER_PATHS)('%s goes on as before', async (path) => {
    expect(await visit(trial, spelledHost, { path })).toMatchObject({ status: 200, body: path });
  });

  it('lets in, in each spelling, whom the list lets in, and follows the list', async () => {
    await save(trial, (tx) =>
      tx.httpServices.update(admin, { blockedIps: ['192.0.2.1'], allowedIps: ['127.0.0.0/8'] }),
    );
    expect([await statusOf('/team/Admin.1'), await statusOf('/TEAM/admin.1;x')]).toEqual([200, 200]);
    // No cache in front gives it to others.
    const paths = ['/team/Admin.1', '/TEAM/admin.1;x', '/', '/team/Admin.1/free'];
    const pages = await Promise.all(paths.map((path) => visit(trial, spelledHost, { path })));
    const caching = pages.map(({ headers }) => headers['cache-control']);
    expect(caching).toEqual(['private', 'private', undefined, undefined]);
    await save(trial, (tx) => tx.httpServices.update(admin, { blockedIps: null, allowedIps: ['192.0.2.1'] }));
    expect([await statusOf('/team/Admin.1'), await statusOf('/TEAM/admin.1;x')]).toEqual([403, 403]);
    await save(trial, (tx) => tx.httpServices.update(admin, { blockedIps: null, allowedIps: null }));
    expect([await statusOf('/team/Admin.1'), await statusOf('/TEAM/%2561dmin.1')]).toEqual([200, 200]);
  });

  it('answers at the path itself like every closed one, and lets no one in by other spellings', async () => {
    const own = { pathLocation: '/Shut', blockedIps: ['192.0.2.1'], expiresAt: 'never' };
    const { value } = await expose(trial, spelledHost, port, own);
    expect([await statusOf('/Shut'), await statusOf('/SHUT')]).toEqual([404, 403]);
    await save(trial, (tx) =>
      tx.httpServices.update(value.id, { enabled: true, expiresAt: null, backendHost: 'none.test' }),
    );
    expect([await statusOf('/Shut'), await statusOf('/SHUT')]).toEqual([503, 403]);
  });

  it('takes paths of any length', async () => {
    const long = `/${'a/'.repeat(85)}Long.path-name_of~many`;
    const { rejected } = await expose(trial, spelledHost, port, { pathLocation: long, blockedIps: ['127.0.0.1'] });
    expect(rejected).toBeNull();
    expect([await statusOf(long), await statusOf(long.toUpperCase())]).toEqual([403, 403]);
    const letters = { pathLocation: `/${'k'.repeat(198)}`, blockedIps: ['127.0.0.1'] };
    const { rejected: none } = await expose(trial, spelledHost, port, letters);
    expect([none, await statusOf(`/${'K'.repeat(198)};x`)]).toEqual([null, 403]);
    // A pattern that goes back would take longer than any visitor waits.
    await statusOf(`/${';%252f'.repeat(1200)}`);
    await statusOf(`/team${';x'.repeat(3000)}`);
  });
});
