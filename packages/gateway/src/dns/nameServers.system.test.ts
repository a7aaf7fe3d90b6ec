import { afterEach, expect, it } from 'vitest';
import { type DnsRecords, type DnsServer, startDnsServer } from '../testing/dnsServer.ts';
import { createNameServers } from './nameServers.ts';

const servers: DnsServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const NXDOMAIN: DnsRecords = { code: 'NXDOMAIN' };
async function serve(records: Record<string, DnsRecords | null>): Promise<DnsServer> {
  const server = await startDnsServer((name) => (name in records ? (records[name] ?? null) : NXDOMAIN));
  servers.push(server);
  return server;
}

it('finds addresses of both families, and says whom it asked', async () => {
  const server = await serve({ 'app.example.test': { addresses: ['203.0.113.5', '2001:db8::5', '203.0.113.6'] } });
  expect(await createNameServers([server.address]).ask('app.example.test')).toEqual({
    nameServers: [server.address],
    cnames: [],
    a: ['203.0.113.5', '203.0.113.6'],
    aaaa: ['2001:db8::5'],
    failure: null,
  });
});

it('follows the names that it stands for', async () => {
  const server = await serve({
    'app.example.test': { cname: 'lb.example.test', addresses: ['203.0.113.5'] },
    'lb.example.test': { cname: 'gw.example.test' },
    'gw.example.test': {},
  });
  const { cnames, a } = await createNameServers([server.address]).ask('app.example.test');
  expect({ cnames, a }).toEqual({ cnames: ['lb.example.test', 'gw.example.test'], a: ['203.0.113.5'] });
});

it.each([
  ['ENOTFOUND', 'a name that does not exist', NXDOMAIN],
  ['ENODATA', 'a name without an address', {}],
  ['ESERVFAIL', 'name servers of the domain that are down', { code: 'SERVFAIL' }],
  ['EREFUSED', 'a name server that is not for this machine', { code: 'REFUSED' }],
] as const)('says %s of %s', async (failure, _what, records) => {
  const server = await serve({ 'app.example.test': records });
  expect(await createNameServers([server.address]).ask('app.example.test')).toMatchObject({ a: [], aaaa: [], failure });
});

it('stops asking when no answer comes, and where none listens', async () => {
  const silent = await serve({ 'app.example.test': null });
  const late = await createNameServers([silent.address], 50).ask('app.example.test');
  expect(late).toMatchObject({ a: [], failure: 'ECANCELLED' });
  const closed = await serve({});
  await servers.pop()?.close();
  const nowhere = await createNameServers([closed.address]).ask('app.example.test');
  expect(nowhere).toMatchObject({ a: [], failure: 'ECONNREFUSED' });
});

it('makes an answer short and printable, whatever a name server says', async () => {
  const many = Array.from({ length: 28 }, (_, index) => `198.51.100.${index}`);
  const server = await serve({
    'app.example.test': { cname: '\u001b[31m\n<script>.example.test', addresses: many },
    'circle.example.test': { cname: 'other.example.test' },
    'other.example.test': { cname: 'circle.example.test' },
  });
  const nameServers = createNameServers([server.address]);
  const { a, cnames } = await nameServers.ask('app.example.test');
  expect(a).toHaveLength(20);
  expect(cnames.join()).toMatch(/^[\u0021-\u007e]*$/);
  expect((await nameServers.ask('circle.example.test')).cnames).toEqual(['other.example.test']);
});

it('ends a chain of names that has no end', async () => {
  const server = await startDnsServer((name) => ({ cname: `x${name}` }));
  servers.push(server);
  const { cnames } = await createNameServers([server.address]).ask('a.example.test');
  expect(cnames).toHaveLength(8);
  expect(server.asked.filter((question) => question.startsWith('CNAME'))).toHaveLength(8);
});
