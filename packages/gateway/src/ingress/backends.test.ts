import { describe, expect, it } from 'vitest';
import { testNode } from '../testing/storedRows.ts';
import { ownAddresses, proxyLoopsIn, remoteBackend } from './backends.ts';
import type { TunnelView } from '../tunnel/reconcile.ts';

const on = (subnets: readonly (readonly [number, readonly string[]])[], problem?: string): TunnelView => ({
  status: { available: true },
  gateway: '10.88.0.1',
  subnets: new Map(subnets),
  problems: new Map(problem === undefined ? [] : [[2, problem]]),
  withheld: [],
});
const names = new Map([
  ['printer.lan@10.88.0.2', { problem: 'the resolver at 10.88.0.2 does not know it' }],
  ['nas.lan@10.88.0.2', { addresses: ['127.0.0.1', '198.19.2.7'] }],
  ['router.lan@10.88.0.2', { addresses: ['127.0.0.1', '203.0.113.1'] }],
]);
const plain = testNode(2);
const site = testNode(2, { name: 'site', isGateway: true });

describe('where a service of a remote node is', () => {
  it('is nowhere while the tunnel is off, for its reason, and says what turns it on', () => {
    const status = { available: false, reason: 'Only root can.', fix: 'Be root.' } as const;
    expect(remoteBackend(null, plain, { ...on([[2, []]]), status }, names)).toEqual({
      problem: 'The tunnel is off, so the nodes behind it cannot be reached. Only root can. Be root.',
    });
  });

  it('is nowhere when its node was left out of the tunnel, for the reason', () => {
    expect(remoteBackend(null, plain, on([], 'Its row is damaged.'), names)).toEqual({
      problem: 'Its node node 2 is not in the tunnel. Its row is damaged.',
    });
  });

  it('is the node itself, whatever host was given', () => {
    const view = on([[2, []]]);
    const itself = { addresses: ['10.88.0.2'], sourceAddress: '10.88.0.1' };
    expect(remoteBackend(null, plain, view, names)).toEqual(itself);
    expect(remoteBackend('192.0.2.7', plain, view, names)).toEqual(itself);
  });

  it("is behind a gateway node that leads there, for who asks from the tunnel's own address", () => {
    const view = on([[2, ['198.19.2.0/24']]]);
    const behind = { addresses: ['198.19.2.9'], sourceAddress: '10.88.0.1' };
    expect(remoteBackend('198.19.2.9', site, view, names)).toEqual(behind);
    expect(remoteBackend('10.88.0.2', site, view, names)).toEqual({ ...behind, addresses: ['10.88.0.2'] });
    // Only where it leads: a node's resolver has no word about other networks.
    expect(remoteBackend('nas.lan', site, view, names)).toEqual({ ...behind, addresses: ['198.19.2.7'] });
  });

  it('asks the DNS server of the node where it has one, which answers for the same networks', () => {
    const view = on([[2, ['198.19.2.0/24']]]);
    const node = testNode(2, { name: 'site', isGateway: true, resolver: '198.19.2.53' });
    const answers = new Map([
      ['nas.lan@198.19.2.53', { addresses: ['198.19.2.8', '10.88.0.3'] }],
      ['router.lan@198.19.2.53', { addresses: ['127.0.0.1'] }],
      ['gone.lan@198.19.2.53', { problem: 'the resolver at 198.19.2.53 does not know it' }],
    ]);
    const at = (host: string) => remoteBackend(host, node, view, answers);
    expect(at('nas.lan')).toEqual({ addresses: ['198.19.2.8'], sourceAddress: '10.88.0.1' });
    expect(at('router.lan')).toEqual({
      problem: expect.stringMatching(/^The resolver of its node site, 198\.19\.2\.53, says that router\.lan is 127/),
    });
    expect(at('gone.lan')).toEqual({
      problem: expect.stringMatching(
        /198\.19\.2\.53 does not know it\. Check the name, and the DNS server of the node/,
      ),
    });
    expect(remoteBackend('nas.lan', { ...node, resolver: '198.19.3.53' }, view, answers)).toEqual({
      problem: 'The DNS server 198.19.3.53 is not behind its node site. It leads to 198.19.2.0/24.',
    });
  });

  it.each([
    ['198.19.3.9', /^198\.19\.3\.9 is not behind its node site\. It leads to 198\.19\.2\.0\/24\.$/],
    ['10.88.0.3', /^10\.88\.0\.3 is not behind its node site/],
    ['2001:db8::1', /^2001:db8::1 is not behind its node site/],
    [
      'printer.lan',
      /^The name printer\.lan has no address behind its node site: the resolver at 10\.88\.0\.2 does not know it\. Check/,
    ],
    [
      'router.lan',
      /^The resolver of its node site says that router\.lan is 127\.0\.0\.1, 203\.0\.113\.1, which is not behind/,
    ],
    [null, /^It has no backend host\./],
  ])('is refused at %s behind a gateway node, with the reason', (host, reason) => {
    expect(remoteBackend(host, site, on([[2, ['198.19.2.0/24']]]), names)).toEqual({
      problem: expect.stringMatching(reason) as string,
    });
  });
});

const HERE = '127.0.0.1';
const link = (id: number, port: number, backendPort: number, rest: object = {}) => ({
  id,
  port,
  proto: 'tcp' as const,
  backendPort,
  addresses: [HERE],
  ...rest,
});
const found = (...links: Parameters<typeof proxyLoopsIn>[0]): number[] => [
  ...proxyLoopsIn(links, (address) => address === HERE),
];

it('finds a service that leads to itself, and several that lead to each other', () => {
  expect(found(link(1, 20_001, 20_001))).toEqual([1]);
  expect(found(link(1, 20_001, 20_002), link(2, 20_002, 20_003), link(3, 20_003, 20_001))).toEqual([1, 2, 3]);
});

it('leaves alone who leads to another service and so out again, or into a circle without being one of it', () => {
  expect(found(link(1, 20_001, 20_002), link(2, 20_002, 5432))).toEqual([]);
  expect(found(link(1, 20_001, 20_002), link(2, 20_002, 20_002))).toEqual([2]);
  expect(found(link(2, 20_002, 20_002), link(1, 20_001, 20_002))).toEqual([2]);
});

it('looks at the address and at the protocol', () => {
  expect(found(link(1, 20_001, 20_001, { addresses: ['192.0.2.1'] }))).toEqual([]);
  expect(found(link(1, 20_001, 20_001, { addresses: ['192.0.2.1', HERE] }))).toEqual([1]);
  const udp = { proto: 'udp' as const };
  expect(found(link(1, 20_001, 20_002, udp), link(2, 20_002, 20_001))).toEqual([]);
  expect(found(link(1, 20_001, 20_002, udp), link(2, 20_002, 20_001, udp))).toEqual([1, 2]);
});

const isOwn = ownAddresses({
  eth0: [
    { address: '192.0.2.7', family: 'IPv4', netmask: '', mac: '', internal: false, cidr: null },
    { address: '2001:db8::7', family: 'IPv6', netmask: '', mac: '', internal: false, cidr: null, scopeid: 0 },
  ],
});

it.each(['127.0.0.1', '127.9.9.9', '0.0.0.0', '::1', '::', '192.0.2.7', '2001:db8:0::7', '::ffff:127.0.0.1'])(
  'knows %s as its own',
  (address) => expect(isOwn(address)).toBe(true),
);

it.each(['192.0.2.8', '128.0.0.1', '2001:db8::8'])('takes %s for someone else’s', (address) =>
  expect(isOwn(address)).toBe(false),
);
