import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createFakeTunnel, type FakeTunnel } from '../system/fakeTunnel.ts';
import { NOTHING_REFUSED } from '../system/tunnel.ts';
import { testNode, testTunnelSettings, testVault } from '../testing/testNodes.ts';
import { createTunnelFollower, type TunnelFollower } from './tunnelFollower.ts';

const OFF = { available: false, reason: 'Another program uses UDP port 51820.', remedy: 'Stop it.' } as const;

let tunnel: FakeTunnel;
let follower: TunnelFollower;
let warned: string[];
let applied: number;

beforeEach(() => {
  vi.useFakeTimers();
  tunnel = createFakeTunnel();
  tunnel.setStatus({ available: true });
  warned = [];
  applied = 0;
  const apply = tunnel.apply.bind(tunnel);
  tunnel.apply = (plan) => {
    applied += 1;
    return apply(plan);
  };
  follower = createTunnelFollower({
    tunnel,
    settings: testTunnelSettings,
    vault: testVault,
    endpoints: () => Promise.resolve(new Map()),
    log: { info: () => undefined, warn: (_, message) => warned.push(message) },
  });
});
afterEach(() => {
  follower.stop();
  vi.useRealTimers();
});

it('sets nothing up on a machine without remote nodes', async () => {
  await follower.follow([testNode(1, { isLocal: true })]);
  expect([applied, tunnel.present()]).toEqual([0, false]);
});

it('applies what is new, and nothing twice', async () => {
  const node = testNode(2);
  await follower.follow([node]);
  await follower.follow([node]);
  expect(applied).toBe(1);
  await follower.follow([{ ...node, enabled: false, version: 2 }]);
  expect(applied).toBe(2);
  // The last node is gone, the interface is not: its peer has to go.
  await follower.follow([]);
  expect(applied).toBe(3);
});

it('brings the tunnel back as soon as it was taken away', async () => {
  const view = await follower.follow([testNode(2)]);
  tunnel.damage();
  await vi.waitFor(() => expect(tunnel.present()).toBe(true));
  expect(warned).toEqual(['the tunnel was taken away; it is made anew']);
  expect(await follower.follow([])).toMatchObject({ status: view.status });
});

it('says why it is off, tries again by itself, and tells when it is on', async () => {
  let changes = 0;
  follower.onChange(() => (changes += 1));
  tunnel.setStatus(OFF);
  const nodes = [testNode(2)];
  expect(await follower.follow(nodes)).toMatchObject({ status: OFF, subnets: new Map() });
  await vi.advanceTimersByTimeAsync(600);
  expect([applied, changes, tunnel.present()]).toEqual([2, 0, false]);
  // The same reason is said once.
  expect(warned).toEqual(['the tunnel is off']);
  tunnel.setStatus({ available: true });
  await vi.advanceTimersByTimeAsync(1100);
  expect([changes, tunnel.present()]).toEqual([1, true]);
  expect(await follower.follow(nodes)).toMatchObject({ status: { available: true } });
});

it('is off, and not broken, when the own key cannot be opened', async () => {
  const broken = createTunnelFollower({
    tunnel,
    settings: { ...testTunnelSettings, sealedPrivateKey: 'v1:damaged' },
    vault: testVault,
    endpoints: () => Promise.resolve(new Map()),
    log: { info: () => undefined, warn: () => undefined },
  });
  expect(await broken.follow([testNode(2)])).toMatchObject({ status: { available: false } });
  expect(tunnel.present()).toBe(false);
  broken.stop();
});

it('says at the node which of its subnets this machine has itself', async () => {
  const refusedSubnets = new Map([['198.19.2.0/24', 'eth0']]);
  tunnel.apply = () => Promise.resolve({ ...NOTHING_REFUSED, refusedSubnets, status: { available: true } });
  const gatewayNetworks = ['198.19.2.0/24', '198.19.3.0/24'].map((subnet) => ({ interface: 'eth1', subnet }));
  const view = await follower.follow([testNode(2, { isGateway: true, gatewayNetworks })]);
  expect(view.subnets.get(2)).toEqual(['198.19.3.0/24']);
  expect(view.problems.get(2)).toBe(
    'Its subnet 198.19.2.0/24 is not reached: this machine has such a network itself, at eth0.',
  );
});

it('says what keeps nodes from the internet for as long as it does', async () => {
  const problem = 'This machine does not forward packets.';
  tunnel.apply = () => Promise.resolve({ ...NOTHING_REFUSED, forwardingProblem: problem, status: { available: true } });
  expect(follower.forwardingProblem()).toBeNull();
  await follower.follow([testNode(2, { allowInternet: true })]);
  expect(follower.forwardingProblem()).toBe(problem);
});
