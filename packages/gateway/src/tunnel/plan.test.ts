import { expect, it } from 'vitest';
import { testNode, testTunnelSettings, testVault } from '../testing/storedRows.ts';
import { tunnelPlan } from './plan.ts';
import type { NodeRow } from '../store/rows.ts';

const planOf = (nodes: readonly NodeRow[], endpoints: ReadonlyMap<string, string> = new Map()) =>
  tunnelPlan(nodes, testTunnelSettings, testVault, endpoints);
const textOf = (nodes: readonly NodeRow[]): string => planOf(nodes).plan.config(new Map()).reveal();
const site = (id: number, ...subnets: string[]): NodeRow =>
  testNode(id, { isGateway: true, gatewayNetworks: subnets.map((subnet) => ({ interface: 'eth1', subnet })) });

it('has the remote nodes that are enabled, and no others', () => {
  const [one, off, local] = [testNode(2), testNode(3, { enabled: false }), testNode(1, { isLocal: true })];
  const text = textOf([local, one, off]);
  expect(text).toContain(`PublicKey = ${one.publicKey}`);
  expect(text).toContain('AllowedIPs = 10.88.0.2/32');
  expect(text).not.toContain(String(off.publicKey));
  expect(text).not.toContain(String(local.publicKey));
});

it('tells where nodes were only when it is asked with their places', () => {
  const one = testNode(2);
  const places = new Map([[String(one.publicKey), '198.51.100.7:40000']]);
  const { plan } = planOf([one], places);
  expect(plan.endpoints).toBe(places);
  expect(plan.config(new Map()).reveal()).not.toContain('Endpoint');
  expect(plan.config(places).reveal()).toContain('Endpoint = 198.51.100.7:40000');
  // No log has a key.
  expect(String(plan.config(places))).toBe('[redacted]');
});

it('leads the subnets of a gateway node to it, as routes are written', () => {
  const { plan, subnets, problems } = planOf([site(2, '198.19.2.7/24'), testNode(3)]);
  expect(plan.subnets).toEqual(['198.19.2.0/24']);
  expect([...subnets]).toEqual([
    [2, ['198.19.2.0/24']],
    [3, []],
  ]);
  expect(problems.size).toBe(0);
  expect(plan.config(new Map()).reveal()).toMatch(/AllowedIPs = 10\.88\.0\.2\/32, ?198\.19\.2\.0\/24/);
});

it('leads none to a node that is no gateway any more', () => {
  expect(planOf([{ ...site(2, '198.19.2.0/24'), isGateway: false }]).plan.subnets).toEqual([]);
});

it.each(['198.19.2.0/24', '198.19.2.128/25', '198.19.0.0/20'])(
  'gives addresses that two nodes claim to the first, and says so at the other: %s',
  (claimed) => {
    const { plan, problems } = planOf([site(2, '198.19.2.0/24'), site(3, claimed, '198.20.3.0/24')]);
    expect(plan.subnets).toEqual(['198.19.2.0/24', '198.20.3.0/24']);
    expect([...problems]).toEqual([
      [3, expect.stringContaining(`${claimed} is not reached: another node, or the tunnel itself, has it`)],
    ]);
  },
);

it.each(['0.0.0.0/0', '127.0.0.0/8', '2001:db8::/32', 'x; reboot'])('does not route %s into the tunnel', (subnet) => {
  const { plan, problems } = planOf([site(2, subnet)]);
  expect(plan.subnets).toEqual([]);
  expect(problems.get(2)).toContain('IPv4 networks of hosts, of /8 to /32');
});

it.each([
  ['key', { publicKey: 'x\nPostUp = reboot' }],
  ['address', { address: '10.88.0.2; drop' }],
  ['preshared key', { sealedPresharedKey: 'v1:damaged' }],
])('leaves out a node whose %s is damaged, and no other', (_, damage) => {
  const [bad, good] = [testNode(2, damage), testNode(3)];
  const { plan, problems } = planOf([bad, good]);
  expect([...problems.keys()]).toEqual([2]);
  const text = plan.config(new Map()).reveal();
  expect(text.match(/\[Peer\]/g)).toHaveLength(1);
  expect(text).toContain(String(good.publicKey));
  expect(plan.firewall).not.toContain('; drop;');
});

it("routes to no node the tunnel's own network, or another node's address of an earlier one", () => {
  const earlier = testNode(4, { address: '198.19.7.4' });
  const { subnets, problems } = planOf([site(2, '10.88.0.0/16', '198.19.7.0/24', '198.19.2.0/24'), earlier]);
  expect(subnets.get(2)).toEqual(['198.19.2.0/24']);
  expect(problems.get(2)).toMatch(/is not reached: another node, or the tunnel itself, has it/);
  // Also where no node has an address in that part of it.
  expect(planOf([site(2, '10.88.64.0/24')]).subnets.get(2)).toEqual([]);
});

it('lets through to the internet only those that may', () => {
  const all = testNode(2, { allowInternet: true });
  expect(planOf([all, testNode(3)]).plan).toMatchObject({
    forwards: true,
    firewall: expect.stringContaining('elements = { 10.88.0.2 }') as string,
  });
  expect(planOf([{ ...all, enabled: false }, testNode(3)]).plan.forwards).toBe(false);
});

it('still says who is to be in the tunnel when the own key of the gateway cannot be opened', () => {
  const [one, off] = [testNode(2), testNode(3, { enabled: false })];
  const settings = { ...testTunnelSettings, sealedPrivateKey: 'v1:damaged' };
  const { plan, problems } = tunnelPlan([one, off], settings, testVault, new Map());
  expect([[...plan.peers.keys()], problems.size]).toEqual([[one.publicKey], 0]);
  expect(plan.keyProblem).toMatch(/^The gateway's own key cannot be used: A stored key cannot be opened/);
});

it.each([
  ['of another network', '10.99.0.2'],
  ["that is the gateway's own", '10.88.0.1'],
])('leaves out a node with an address %s, and says why', (_what, address) => {
  const { plan, problems } = planOf([testNode(2, { address }), testNode(3)]);
  expect(plan.peers.size).toBe(1);
  expect(plan.firewall).not.toContain('10.99.');
  expect([...problems]).toEqual([[2, expect.stringMatching(/^Its address .* set SALLYPORT_VPN_SUBNET as it was\.$/)]]);
});

it('leaves out a node whose networks are none, and no other', () => {
  const damaged = testNode(2, { isGateway: true, gatewayNetworks: 5 as never });
  const { plan, problems } = planOf([damaged, testNode(3)]);
  expect(plan.peers.size).toBe(1);
  expect([...problems.keys()]).toEqual([2]);
});

it('withholds from a node what was left behind by another one, and nothing else', () => {
  const nodes = [site(2, '198.19.2.0/24', '198.19.3.0/24', '198.19.6.6/32'), testNode(3), site(4, '198.19.4.0/24')];
  const { plan, subnets, problems, withheld } = tunnelPlan(nodes, testTunnelSettings, testVault, new Map(), [
    '198.19.3.9',
    '198.19.6.6',
    '10.88.0.3',
    '198.19.5.1',
  ]);
  expect(withheld).toEqual(['198.19.3.9', '198.19.6.6', '10.88.0.3']);
  expect([...subnets]).toEqual([
    [2, ['198.19.2.0/24']],
    [4, ['198.19.4.0/24']],
  ]);
  // Where the node before had its backends is nothing for this one.
  expect([...problems]).toEqual([
    [2, expect.stringMatching(/^It is not reached at 198\.19\.3\.0\/24, 198\.19\.6\.6\/32 until/)],
    [3, expect.stringMatching(/^It is not reached at 10\.88\.0\.3 until/)],
  ]);
  expect(plan.config(new Map()).reveal()).not.toMatch(/198\.19\.3\.|10\.88\.0\.3/);
  expect(plan.firewall).not.toMatch(/198\.19\.3\.|10\.88\.0\.3/);
});
