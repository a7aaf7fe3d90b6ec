import { expect, it } from 'vitest';
import { type DnsAnswer, NO_NAME } from '../dns/nameServers.ts';
import {
  addressCandidates,
  type ChosenAddress,
  type MachineNetwork,
  publicNameProblem,
  reportAddress,
} from './publicAddress.ts';

type Interface = NonNullable<MachineNetwork['interfaces'][string]>[number];

const interfaceWith = (address: string): Interface[] => [
  {
    address,
    family: address.includes(':') ? 'IPv6' : 'IPv4',
    internal: address.startsWith('127.'),
    netmask: '',
    mac: '',
    cidr: null,
    scopeid: 0,
  },
];
const machineWith = (addresses: Record<string, string>, more: Partial<MachineNetwork> = {}): MachineNetwork => ({
  interfaces: Object.fromEntries(Object.entries(addresses).map(([name, one]) => [name, interfaceWith(one)])),
  defaultDevice: 'eth0',
  hostname: 'debian',
  hostsFile: '',
  ...more,
});
/** Name servers that know these names; the names that they were asked for are noted. */
function nameServersWith(known: Record<string, string[]> = {}) {
  const asked: string[] = [];
  const ask = async (name: string): Promise<DnsAnswer> => {
    asked.push(name);
    const a = known[name] ?? [];
    return { nameServers: ['192.0.2.53'], cnames: [], a, aaaa: [], failure: a.length === 0 ? NO_NAME : null };
  };
  return { asked, ask };
}
const hostsOf = async (machine: MachineNetwork, known: Record<string, string[]> = {}) =>
  (await addressCandidates(nameServersWith(known), machine)).map(({ host }) => host);

const HOME = { lo: '127.0.0.1', docker0: '172.17.0.1', eth0: '192.168.1.10', wlan0: '192.168.2.20' };
const HOSTED = { lo: '127.0.0.1', eth0: '203.0.113.7', eth1: '10.0.0.7' };

it('takes the address of the default route first, before those of other interfaces, and never loopback', async () => {
  expect(await hostsOf(machineWith(HOME))).toEqual(['192.168.1.10', '172.17.0.1', '192.168.2.20']);
  expect(await hostsOf(machineWith(HOME, { defaultDevice: 'wlan0' }))).toEqual([
    '192.168.2.20',
    '172.17.0.1',
    '192.168.1.10',
  ]);
  expect(await hostsOf(machineWith({ eth0: '10.0.0.7', eth1: '203.0.113.7', eth2: 'fe80::1' }))).toEqual([
    '203.0.113.7',
    '10.0.0.7',
  ]);
  expect(await hostsOf(machineWith({ eth0: '2001:db8::7', eth1: '10.0.0.7' }))).toEqual(['10.0.0.7', '2001:db8::7']);
  expect(await hostsOf(machineWith({ lo: '127.0.0.1' }))).toEqual([]);
});

it('prefers a full name that leads here, and names one that leads elsewhere after what is certain', async () => {
  const named = { hostname: 'gw.example.test' };
  const to = (address: string) => ({ 'gw.example.test': [address] });
  const hosted = machineWith(HOSTED, named);
  expect((await hostsOf(hosted, to('203.0.113.7')))[0]).toBe('gw.example.test');
  expect((await hostsOf(hosted, to('198.51.100.9'))).slice(0, 2)).toEqual(['203.0.113.7', 'gw.example.test']);
  // The router's address, for all that is known.
  expect((await hostsOf(machineWith(HOME, named), to('198.51.100.9')))[0]).toBe('gw.example.test');
  expect((await hostsOf(machineWith(HOME, named), to('192.168.1.10'))).slice(0, 2)).toEqual([
    '192.168.1.10',
    'gw.example.test',
  ]);
  expect(await hostsOf(hosted)).not.toContain('gw.example.test');
});

it('asks no name server for a bare name', async () => {
  const nameServers = nameServersWith();
  await addressCandidates(nameServers, machineWith(HOSTED));
  expect(nameServers.asked).toEqual([]);
});

const problemOf = (host: string, source: ChosenAddress['source']) =>
  publicNameProblem({ host, source }, machineWith(HOSTED));

it('says where to enter another address than the bare name of the machine', () => {
  expect(problemOf('debian', 'machine')).toEqual({
    feature: 'publicName',
    reason: 'Hosts are told to reach this gateway as "debian", a name that other machines may not know.',
    fix: 'Enter the name or address by which they reach it (this machine has the address 203.0.113.7) under Settings in the console, or set SALLYPORT_VPN_HOST to it, then start the gateway again.',
  });
});

it.each(['127.0.0.1', '127.0.1.1', 'localhost', '::1', '0.0.0.0'])('refuses %s, also when it was given', (host) => {
  expect(problemOf(host, 'environment')?.reason).toContain('which is their own machine');
  expect(problemOf(host, 'environment')?.fix).toMatch(/^Set SALLYPORT_VPN_HOST to .*203\.0\.113\.7/);
});

it.each([
  ['gateway.example.test', 'machine'],
  ['203.0.113.7', 'setting'],
  ['2001:db8::7', 'environment'],
  // Chosen, as in a network of containers.
  ['gateway', 'environment'],
] as const)('is content with %s', (host, source) => {
  expect(problemOf(host, source)).toBeNull();
});

const reported = async (host: string, addresses: Record<string, string>, known: Record<string, string[]> = {}) => {
  const machine = machineWith(addresses);
  const report = await reportAddress({ host, source: 'setting' }, nameServersWith(known), machine);
  return { warnings: report.warnings.join(' '), facts: report.facts.join(' '), hasAddress: report.hasAddress };
};
const HERE = /is the address of eth0 on this machine\. It was not tried from outside/;
const ELSEWHERE = /is of no interface of this machine: a router .* pass the ports on/;

type Expected = { warnings?: RegExp; facts: RegExp; hasAddress?: boolean };

const SILENCE = 'The name servers (127.0.0.1) cannot be reached.';
/** What is said of gw.test where no name server answers. */
const inSilence = async (hostsFile: string) => {
  const ask = async (): Promise<DnsAnswer> => ({
    nameServers: ['127.0.0.1'],
    cnames: [],
    a: [],
    aaaa: [],
    failure: 'ECONNREFUSED',
  });
  return reportAddress({ host: 'gw.test', source: 'setting' }, { ask }, machineWith(HOSTED, { hostsFile }));
};

it('does not take silent name servers for ones that know no address', async () => {
  expect(await inSilence('')).toMatchObject({
    warnings: [`${SILENCE} So it is not known whether gw.test has an address.`],
    silence: SILENCE,
    hasAddress: false,
  });
});

const HOSTS_FILE = '127.0.1.1 gw.test\n203.0.113.7\tgw GW.test # the gateway\n#203.0.113.9 gw.test\n10.0.0.7 gw.test';

it('finds a name in the hosts file of this machine where the name servers do not answer, or have no address', async () => {
  const facts = [
    '/etc/hosts leads gw.test to 203.0.113.7, 10.0.0.7, which is the address of eth0 on this machine.',
    expect.stringMatching(/^It was not tried/),
  ];
  expect(await inSilence(HOSTS_FILE)).toEqual({
    warnings: [`${SILENCE} So it is not known where other machines find gw.test.`],
    facts,
    silence: SILENCE,
    hasAddress: true,
  });
  const machine = machineWith(HOSTED, { hostsFile: HOSTS_FILE });
  expect(await reportAddress({ host: 'gw.test', source: 'setting' }, nameServersWith(), machine)).toEqual({
    warnings: [
      'The name servers (192.0.2.53) have no address for gw.test: machines without it in their own /etc/hosts do not find the gateway. Make an A or AAAA record for it, or name an address instead.',
    ],
    facts,
    silence: null,
    hasAddress: true,
  });
  // A loopback address leads every machine to itself.
  expect(await inSilence('127.0.1.1 gw.test')).toMatchObject({ hasAddress: false });
});

it.each<[string, Record<string, string>, Record<string, string[]>, Expected]>([
  ['203.0.113.7', HOSTED, {}, { facts: HERE }],
  ['203.0.113.9', HOME, {}, { facts: ELSEWHERE }],
  ['192.168.1.10', HOME, {}, { warnings: /^192\.168\.1\.10 is a private address: .* of the router/, facts: HERE }],
  ['gw.test', HOSTED, { 'gw.test': ['203.0.113.7'] }, { facts: HERE }],
  ['gw.lan', HOME, { 'gw.lan': ['192.168.1.10'] }, { warnings: /^gw\.lan leads to the private address/, facts: HERE }],
  ['gw.test', HOSTED, {}, { warnings: /\(192\.0\.2\.53\) have no address/, facts: /^It was not/, hasAddress: false }],
  ['gw', HOSTED, { gw: ['203.0.113.7'] }, { warnings: /^"gw" is a name without a domain/, facts: HERE }],
  ['localhost', HOSTED, {}, { warnings: /which is their own machine/, facts: /^$/, hasAddress: false }],
])('says of %s with %o what speaks against it and what is known', async (host, own, known, expected) => {
  const { warnings, facts, hasAddress } = await reported(host, own, known);
  expect(warnings).toMatch(expected.warnings ?? /^$/);
  expect(facts).toMatch(expected.facts);
  expect(hasAddress).toBe(expected.hasAddress ?? true);
});
