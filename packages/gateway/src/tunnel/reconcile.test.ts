import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFakeTunnel, type FakeTunnel } from '../testing/fakeTunnel.ts';
import { type KeyVault, SealError } from '../vault/keyVault.ts';
import { NOTHING_REFUSED } from './wireguard/tunnel.ts';
import { testNode, testTunnelSettings, testVault } from '../testing/storedRows.ts';
import { createTunnelFollower, type TunnelFollower } from './reconcile.ts';

const OFF = { available: false, reason: 'Another program uses UDP port 51820.', fix: 'Stop it.' } as const;

let tunnel: FakeTunnel;
let follower: TunnelFollower;
let warned: string[];
let applied: number;
/** The own key of the gateway cannot be opened. */
let isLost: boolean;

const vault: Pick<KeyVault, 'open'> = {
  open(sealed) {
    if (isLost && sealed === testTunnelSettings.sealedPrivateKey) throw new SealError('It cannot be opened.');
    return testVault.open(sealed);
  },
};
const open = (): TunnelFollower =>
  createTunnelFollower({
    tunnel,
    settings: testTunnelSettings,
    vault,
    endpoints: () => Promise.resolve(new Map()),
    log: { info: () => undefined, warn: (_, message) => warned.push(message) },
  });

const follow = (nodes: Parameters<TunnelFollower['follow']>[0], leftBehind: string[] = []) =>
  follower.follow(nodes, leftBehind);

beforeEach(() => {
  isLost = false;
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
  follower = open();
});
afterEach(() => {
  follower.stop();
  vi.useRealTimers();
});

// A browser on the gateway's own machine aborts what it is loading when an interface appears: not at the first node.
it('makes the interface before there is a remote node, without peers', async () => {
  const view = await follow([testNode(1, { isLocal: true })]);
  expect([applied, tunnel.present(), view.status]).toEqual([1, true, { available: true }]);
  await follow([testNode(1, { isLocal: true })]);
  expect(applied).toBe(1);
});

it('sets nothing up, and tries nothing, on a machine that cannot have a tunnel', async () => {
  tunnel.setStatus(OFF);
  const view = await follow([testNode(1, { isLocal: true })]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect([applied, tunnel.present(), view.status, warned]).toEqual([0, false, OFF, []]);
});

it('tries again without a node when it was only kept from it for a while', async () => {
  const apply = tunnel.apply.bind(tunnel);
  tunnel.apply = (plan) => {
    tunnel.setStatus(OFF);
    return apply(plan);
  };
  await follow([]);
  expect(tunnel.present()).toBe(false);
  tunnel.apply = (plan) => {
    tunnel.setStatus({ available: true });
    return apply(plan);
  };
  await vi.advanceTimersByTimeAsync(1100);
  expect(tunnel.present()).toBe(true);
});

it('applies what is new, and nothing twice', async () => {
  const node = testNode(2);
  await follow([node]);
  await follow([node]);
  expect(applied).toBe(1);
  await follow([{ ...node, enabled: false, version: 2 }]);
  expect(applied).toBe(2);
  // The last node is gone, the interface is not: its peer has to go.
  await follow([]);
  expect(applied).toBe(3);
});

it('brings the tunnel back as soon as it was taken away', async () => {
  const view = await follow([testNode(2)]);
  tunnel.damage();
  await vi.waitFor(() => expect(tunnel.present()).toBe(true));
  expect(warned).toEqual(['the tunnel was taken away; it is set up again']);
  expect(await follow([])).toMatchObject({ status: view.status });
});

it('says why it is off, tries again by itself, and tells when it is on', async () => {
  let changes = 0;
  follower.onChange(() => (changes += 1));
  tunnel.setStatus(OFF);
  const nodes = [testNode(2)];
  expect(await follow(nodes)).toMatchObject({ status: OFF, subnets: new Map() });
  await vi.advanceTimersByTimeAsync(600);
  expect([applied, changes, tunnel.present()]).toEqual([2, 0, false]);
  // The start message has said so.
  expect(warned).toEqual([]);
  tunnel.setStatus({ available: true });
  await vi.advanceTimersByTimeAsync(1100);
  expect([changes, tunnel.present()]).toEqual([1, true]);
  expect(await follow(nodes)).toMatchObject({ status: { available: true } });
  tunnel.setStatus(OFF);
  await follow([testNode(2, { version: 2 })]);
  await vi.advanceTimersByTimeAsync(600);
  // The same reason is said once.
  expect(warned).toEqual(['the tunnel is off']);
});

describe('when the own key of the gateway cannot be opened', () => {
  it('makes no tunnel, and says so of the tunnel and at each node that is to be in it', async () => {
    isLost = true;
    const view = await follow([testNode(2), testNode(3, { enabled: false })]);
    expect([tunnel.present(), follower.status()]).toEqual([
      false,
      expect.objectContaining({ available: false, failed: true, reason: expect.stringMatching(/own key/) }),
    ]);
    expect([...view.problems]).toEqual([[2, expect.stringMatching(/^The tunnel does not work: .*own key/)]]);
  });

  it('still lets go of a node that is disabled or deleted', async () => {
    const [stays, goes] = [testNode(2), testNode(3)];
    await follow([stays, goes]);
    follower.stop();
    isLost = true;
    follower = open();
    await follow([stays, { ...goes, enabled: false, version: 2 }]);
    expect([...(tunnel.plan()?.peers.keys() ?? [])]).toEqual([stays.publicKey]);
  });
});

it('says at each node why a tunnel that should work does not, and nothing where there is to be none', async () => {
  tunnel.setStatus({ ...OFF, failed: true });
  const failing = await follow([testNode(2)]);
  expect([...failing.problems]).toEqual([
    [2, 'The tunnel does not work: Another program uses UDP port 51820. Stop it.'],
  ]);
  expect(follower.status()).toEqual({ ...OFF, failed: true });
  tunnel.setStatus(OFF);
  expect((await follow([testNode(2)])).problems.size).toBe(0);
});

it('says at the node which of its subnets this machine has itself', async () => {
  const refusedSubnets = new Map([['198.19.2.0/24', 'this machine has such a network itself, at eth0']]);
  tunnel.apply = () => Promise.resolve({ ...NOTHING_REFUSED, refusedSubnets, status: { available: true } });
  const gatewayNetworks = ['198.19.2.0/24', '198.19.3.0/24'].map((subnet) => ({ interface: 'eth1', subnet }));
  const view = await follow([testNode(2, { isGateway: true, gatewayNetworks })]);
  expect(view.subnets.get(2)).toEqual(['198.19.3.0/24']);
  expect(view.problems.get(2)).toBe(
    'Its subnet 198.19.2.0/24 is not reached: this machine has such a network itself, at eth0.',
  );
});

it('says what keeps nodes from the internet for as long as it does', async () => {
  const problem = 'This machine does not forward packets.';
  tunnel.apply = () => Promise.resolve({ ...NOTHING_REFUSED, forwardingProblem: problem, status: { available: true } });
  expect(follower.forwardingProblem()).toBeNull();
  await follow([testNode(2, { allowInternet: true })]);
  expect(follower.forwardingProblem()).toBe(problem);
});

it('gives a node what another has left once nothing leads there for that one', async () => {
  const gatewayNetworks = [{ interface: 'eth1', subnet: '198.19.2.0/24' }];
  const nodes = [testNode(2, { isGateway: true, gatewayNetworks })];
  expect(await follow(nodes, ['198.19.2.9'])).toMatchObject({ withheld: ['198.19.2.9'], subnets: new Map([[2, []]]) });
  expect(await follow(nodes)).toMatchObject({ withheld: [], subnets: new Map([[2, ['198.19.2.0/24']]]) });
});
