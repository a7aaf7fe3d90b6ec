import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, expect, it, onTestFinished } from 'vitest';
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
  const many = Array.from({ length: 24 }, (_, index) => `198.51.100.${index}`);
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
  // The resolver follows it, and no one here asks for each.
  expect(server.asked.toSorted()).toEqual(['A a.example.test', 'AAAA a.example.test']);
});

// Each answer of 64 kB took 0.06 s of the event loop, and one look-up ten of them.
it('reads no answer of more than 512 bytes, and does not ask again by TCP', async () => {
  const asked: string[] = [];
  const tcp = createServer((socket) => {
    asked.push('tcp');
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  const { port } = tcp.address() as AddressInfo;
  const server = await startDnsServer(() => ({ addresses: ['203.0.113.5'], cut: true }), port);
  servers.push(server);
  onTestFinished(() => void tcp.close());
  const nameServers = createNameServers([server.address]);
  expect(await nameServers.ask('app.example.test')).toMatchObject({ a: ['203.0.113.5'], aaaa: [] });
  expect(asked).toEqual([]);
});

it.each(['::1', '127.0.0.1'])('asks a name server at %s', async (address) => {
  const server = await startDnsServer(() => ({ addresses: ['203.0.113.5'] }), 0, address);
  servers.push(server);
  const { a, nameServers } = await createNameServers([server.address]).ask('app.example.test');
  expect({ a, nameServers }).toEqual({ a: ['203.0.113.5'], nameServers: [server.address] });
});

it('asks the next name server where one does not know, or is silent', async () => {
  const refusing = await serve({ 'app.example.test': { code: 'REFUSED' } });
  const knowing = await serve({ 'app.example.test': { addresses: ['203.0.113.5'] } });
  const { a } = await createNameServers([refusing.address, knowing.address]).ask('app.example.test');
  expect(a).toEqual(['203.0.113.5']);
});
