import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type KernelPrograms,
  kernelWithoutWireguard,
  kernelWithWireguard,
  type NamespacedTunnel,
  openNamespacedTunnel,
} from '../../testing/namespacedTunnel.ts';
import { createNodeKeys } from '../../vault/keyVault.ts';
import { describeTunnel, newTrialPlan, type TrialPlan, trialTable } from './tunnel.contract.ts';

/** Why this machine cannot try it, in a sentence; null: it can. */
function trialProblem(): string | null {
  for (const program of ['wg', 'nft', 'ip']) {
    if (spawnSync('/bin/sh', ['-c', 'command -v "$0"', program]).status !== 0) return `${program} is missing`;
  }
  const trial = spawnSync('unshare', ['--net', 'nft', 'list', 'ruleset']);
  return trial.status === 0 ? null : 'this machine lets no one make network namespaces';
}

const problem = trialProblem();
if (problem !== null) process.stdout.write(`The tunnel of this machine is not tried: ${problem}.\n`);

const tryKernel = ['--net', 'ip', 'link', 'add', 'dev', 'spt0', 'type', 'wireguard'];
const kernelProblem = problem ?? (spawnSync('unshare', tryKernel).status === 0 ? null : 'this kernel has none');
if (kernelProblem !== null) process.stdout.write(`The WireGuard of the kernel is not tried: ${kernelProblem}.\n`);

describe.skipIf(kernelProblem !== null)('by the kernel, in networks of their own', () => {
  describeTunnel('the WireGuard of the kernel', async () => {
    const trial = await openNamespacedTunnel();
    return { trial, interface: trial.interface };
  });
});

describe.skipIf(problem !== null)('in networks of their own', () => {
  let programs: KernelPrograms;
  afterEach(() => programs.close());

  describeTunnel('wireguard-go, where the kernel has no WireGuard', async () => {
    programs = await kernelWithoutWireguard();
    const trial = await openNamespacedTunnel(programs.directory);
    return { trial, interface: trial.interface };
  });

  // The way that the gateway takes then, without what it leads to: nothing is encrypted.
  describeTunnel('a kernel that is made to look as if it had WireGuard', async () => {
    programs = await kernelWithWireguard();
    const trial = await openNamespacedTunnel(programs.directory);
    return { trial, interface: trial.interface };
  });

  it('the kernel is asked first', async () => {
    programs = await kernelWithWireguard();
    const trial = await openNamespacedTunnel(programs.directory);
    const plan = newTrialPlan(trial.interface);
    expect(await trial.apply(plan)).toMatchObject({ status: { available: true } });
    expect(await trial.run('ip', '-o', '-details', 'link', 'show', 'dev', trial.interface)).toMatch(/ bridge /);
    // The next gateway finds it, and no one's daemon answers for it.
    await trial.reopen();
    expect(await trial.apply(plan)).toMatchObject({ status: { available: true } });
    await trial.remove();
    expect(await trial.present()).toBe(false);
    await trial.close();
  });
});

describe.skipIf(problem !== null)('the tunnel of this machine', () => {
  let trial: NamespacedTunnel;
  let plan: TrialPlan;
  const [node, other] = [createNodeKeys().publicKey, createNodeKeys().publicKey];
  beforeEach(async () => {
    trial = await openNamespacedTunnel();
    plan = { ...newTrialPlan(trial.interface), nodes: [node] };
  });
  afterEach(() => trial.close());

  const links = (): Promise<string> => trial.run('ip', '-o', 'link', 'show');
  /** Whether packets that come in there are forwarded. */
  const forwards = async (device: string): Promise<boolean> =>
    (await trial.run('cat', `/proc/sys/net/ipv4/conf/${device}/forwarding`)).trim() === '1';
  /** What is forwarded from there to anywhere but the tunnel is dropped. */
  const isGuarded = async (device: string): Promise<boolean> =>
    (await trial.run('nft', 'list', 'set', 'inet', trialTable(trial.interface), 'forwards_for_nodes')).includes(
      `"${device}"`,
    );
  async function addDevice(device: string, address: string): Promise<void> {
    await trial.run('ip', 'link', 'add', device, 'type', 'bridge');
    await trial.run('ip', 'address', 'add', address, 'dev', device);
    await trial.run('ip', 'link', 'set', device, 'up');
  }
  const routes = (): Promise<string> => trial.run('ip', 'route', 'show', 'table', 'all', 'proto', '151');
  const rules = (): Promise<string> => trial.run('ip', 'rule', 'show');
  const foreign = (): object => ({
    available: false,
    failed: true,
    reason: `The network interface ${trial.interface} belongs to another program or another gateway.`,
    fix: 'Choose another name with SALLYPORT_VPN_INTERFACE, then start the gateway again.',
  });

  it('is taken over as it is by the next gateway with the same key', async () => {
    const place = '198.51.100.7:40000';
    await trial.apply({ ...plan, endpoints: [[node, place]] });
    const before = await links();
    await trial.reopen();
    expect(await trial.apply(plan)).toMatchObject({ status: { available: true } });
    expect(await links()).toBe(before);
    expect(await trial.read()).toMatchObject([{ publicKey: node, endpoint: place }]);
  });

  it('leaves the interface of another gateway alone, and says what to do', async () => {
    await trial.apply(plan);
    const state = async (): Promise<string> => (await links()) + (await trial.run('wg', 'showconf', trial.interface));
    const before = await state();
    await trial.reopen();
    const another = { ...newTrialPlan(trial.interface), nodes: [other] };
    expect(await trial.apply(another)).toMatchObject({ status: foreign() });
    expect(await trial.status()).toEqual(foreign());
    expect(await trial.read()).toBeNull();
    expect(await state()).toBe(before);
    await trial.remove();
    expect(await state()).toBe(before);
  });

  it('lets go of a node also while its own key cannot be opened, and says so', async () => {
    await trial.apply({ ...plan, nodes: [node, other] });
    await trial.reopen();
    const keyProblem = "The gateway's own key cannot be used.";
    const status = { available: false, failed: true, reason: keyProblem };
    expect(await trial.apply({ ...plan, nodes: [other], keyProblem })).toMatchObject({ status });
    const left = await trial.run('wg', 'show', trial.interface, 'peers');
    expect(left.trim()).toBe(other);
    // The key that the interface was given stays there: who is connected stays so.
    expect((await trial.run('wg', 'show', trial.interface, 'public-key')).trim()).toBe(plan.publicKey);
    expect(await trial.apply(plan)).toMatchObject({ status: { available: true } });
  });

  it('lets go of a node also while the packet filter cannot be set', async () => {
    await trial.apply({ ...plan, nodes: [node, other] });
    const applied = await trial.apply({ ...plan, nodes: [other], firewall: 'nonsense' });
    expect(applied).toMatchObject({ status: { available: false, failed: true } });
    expect((await trial.run('wg', 'show', trial.interface, 'peers')).trim()).toBe(other);
  });

  it('makes an interface again that has the key of before the keys were made again', async () => {
    await trial.apply(plan);
    await trial.reopen(plan.publicKey);
    const next = { ...newTrialPlan(trial.interface), nodes: [other] };
    expect(await trial.apply(next)).toMatchObject({ status: { available: true } });
    expect((await trial.run('wg', 'show', trial.interface, 'public-key')).trim()).toBe(next.publicKey);
  });

  it.for([true, false])(
    'ends what is open to an address before another node has it; its interface was taken away: %s',
    async (isTakenAway) => {
      const tries = (): Promise<string> => trial.run('ss', '-Htn', 'state', 'syn-sent');
      await trial.apply(plan);
      // Packets to a node that is nowhere yet are lost, and it keeps trying.
      const script = `require('node:net').connect({ host: '10.88.0.2', port: 9, localAddress: '10.88.0.1' })
        .on('error', ({ code }) => process.stdout.write(code));`;
      const program = trial.run(process.execPath, '-e', script);
      await expect.poll(tries).toContain('10.88.0.2:9');
      const takeAway = async (alarms: number): Promise<void> => {
        await trial.damage();
        // A plan that comes before it is noticed is one that is carried out already.
        await expect.poll(trial.alarms).toBe(alarms);
      };
      if (isTakenAway) await takeAway(1);
      await trial.apply(plan);
      expect(await tries()).toContain('10.88.0.2:9');
      if (isTakenAway) await takeAway(2);
      await trial.apply({ ...plan, nodes: [other] });
      expect(await program).toBe('ECONNABORTED');
    },
  );

  it('leaves an interface of another kind alone', async () => {
    await trial.run('ip', 'link', 'add', trial.interface, 'type', 'bridge');
    const before = await links();
    expect(await trial.apply(plan)).toMatchObject({ status: foreign() });
    await trial.remove();
    expect(await links()).toBe(before);
    expect(await trial.run('nft', 'list', 'tables')).not.toContain(trialTable(trial.interface));
  });

  it('takes all that it set up away again', async () => {
    await addDevice('wan0', '198.18.7.1/24');
    await trial.apply({ ...plan, subnets: ['198.19.2.0/24'], forwards: true });
    expect(await forwards('wan0')).toBe(true);
    expect(await routes()).toContain('198.19.2.0/24');
    await trial.remove();
    expect(await links()).not.toContain(trial.interface);
    expect(await routes()).toBe('');
    expect(await rules()).not.toContain('proto 151');
    expect(await trial.run('nft', 'list', 'tables')).not.toContain(trialTable(trial.interface));
    expect(await forwards('wan0')).toBe(false);
  });

  it('does so, and does not fail, when its interface is gone already', async () => {
    await trial.apply(plan);
    await trial.damage();
    await trial.remove();
    expect(await trial.run('nft', 'list', 'tables')).not.toContain(trialTable(trial.interface));
  });

  it('forwards for nodes as long as one needs it, and for no one else', async () => {
    await addDevice('wan0', '198.18.7.1/24');
    await trial.apply({ ...plan, forwards: true });
    expect(await forwards('wan0')).toBe(true);
    expect(await forwards(trial.interface)).toBe(true);
    expect(await isGuarded('wan0')).toBe(true);
    // Another program that needs it, and starts later, must see that it is off.
    expect((await trial.run('cat', '/proc/sys/net/ipv4/ip_forward')).trim()).toBe('0');
    await trial.apply(plan);
    expect(await forwards('wan0')).toBe(false);
    expect(await forwards(trial.interface)).toBe(false);
    expect(await isGuarded('wan0')).toBe(false);
  });

  it('routes a subnet only for what is sent from its own address, and never that by another way', async () => {
    await addDevice('wan0', '198.19.9.2/24');
    await trial.run('ip', 'route', 'add', 'default', 'via', '198.19.9.1');
    await trial.apply({ ...plan, subnets: ['198.19.2.0/24'] });
    const way = (...of: string[]): Promise<string> => trial.run('ip', 'route', 'get', ...of);
    expect(await way('198.19.2.9')).toContain('dev wan0');
    expect(await way('198.19.2.9', 'from', '10.88.0.1')).toContain(`dev ${trial.interface}`);
    expect(await way('10.88.0.2')).toContain(`dev ${trial.interface}`);
    await trial.apply(plan);
    await expect(way('198.19.2.9', 'from', '10.88.0.1')).rejects.toThrow(/No route to host/);
  });

  it('takes away what an earlier gateway put into the main table, or had for another port', async () => {
    const subnet = '198.19.2.0/24';
    await trial.apply(plan);
    await trial.run('ip', 'route', 'add', subnet, 'dev', trial.interface, 'proto', '151');
    await trial.run('ip', 'route', 'add', 'unreachable', subnet, 'metric', '1051820', 'proto', '151');
    await trial.run('ip', ...'route add unreachable default metric 1040000 proto 151 table 1040000'.split(' '));
    await trial.run('ip', ...'rule add from 10.88.0.1 priority 1500 protocol 151 table 1040000'.split(' '));
    const others = ['unreachable', subnet, 'proto', '151', 'metric', '1051821'];
    await trial.run('ip', 'route', 'add', ...others);
    await trial.reopen();
    await trial.apply({ ...plan, subnets: [subnet] });
    // What is left of it is another tunnel's.
    expect((await trial.run('ip', 'route', 'show', subnet)).trim()).toBe(others.join(' '));
    expect(await routes()).not.toContain('1040000');
    expect(await rules()).not.toContain('1040000');
    expect(await routes()).toMatch(new RegExp(String.raw`198\.19\.2\.0/24 dev ${trial.interface} table 1051820`));
  });

  it('finds out when another program took its rule or a route away, and puts it back', async () => {
    const subnets = ['198.19.2.0/24'];
    const isPutBack = async (another: NamespacedTunnel, ...words: string[]): Promise<void> => {
      const shown = (): Promise<string[]> =>
        Promise.all([['rule'], ['route', 'show', 'table', '1051820']].map((of) => another.run('ip', ...of)));
      const wanted = { ...newTrialPlan(another.interface), subnets, nodes: [node] };
      await another.apply(wanted);
      const before = await shown();
      await another.run('ip', ...words);
      expect(await shown()).not.toEqual(before);
      await expect.poll(another.alarms, { timeout: 20_000 }).toBe(1);
      await another.apply(wanted);
      expect(await shown()).toEqual(before);
    };
    const second = await openNamespacedTunnel();
    try {
      await Promise.all([
        isPutBack(trial, 'rule', 'delete', 'from', '10.88.0.1'),
        isPutBack(second, 'route', 'delete', '198.19.2.0/24', 'table', '1051820'),
      ]);
    } finally {
      await second.close();
    }
  });

  it('takes back what an earlier gateway changed, too', async () => {
    await addDevice('wan0', '198.18.7.1/24');
    await trial.apply({ ...plan, forwards: true });
    await trial.reopen();
    await trial.apply({ ...plan, forwards: true });
    expect(await isGuarded('wan0')).toBe(true);
    await trial.damage();
    // Some kinds are found out by asking.
    await expect.poll(trial.read).toBeNull();
    await expect.poll(trial.alarms).toBe(1);
    await trial.apply({ ...plan, forwards: true });
    await trial.reopen();
    await trial.apply({ ...plan, forwards: true });
    expect(await forwards('wan0')).toBe(true);
    expect(await isGuarded('wan0')).toBe(true);
    await trial.remove();
    expect(await forwards('wan0')).toBe(false);
  });

  it('leaves a machine alone that forwards already, and one that was told to meanwhile', async () => {
    await addDevice('wan0', '198.18.7.1/24');
    await trial.run('sysctl', '-qw', 'net.ipv4.ip_forward=1');
    expect(await trial.apply({ ...plan, forwards: true })).toMatchObject({ forwardingProblem: null });
    expect(await isGuarded('wan0')).toBe(false);
    await trial.remove();
    expect(await forwards('wan0')).toBe(true);
    await trial.run('sysctl', '-qw', 'net.ipv4.ip_forward=0');
    await trial.apply({ ...plan, forwards: true });
    expect(await isGuarded('wan0')).toBe(true);
    await trial.run('sysctl', '-qw', 'net.ipv4.ip_forward=1');
    await trial.apply({ ...plan, forwards: true });
    expect(await isGuarded('wan0')).toBe(false);
    await trial.remove();
    expect(await forwards('wan0')).toBe(true);
  });

  it('leaves an interface alone that forwards by itself', async () => {
    await addDevice('lan0', '198.18.7.1/24');
    await addDevice('wan0', '198.18.8.1/24');
    await trial.run('sysctl', '-qw', 'net.ipv4.conf.lan0.forwarding=1');
    await trial.apply({ ...plan, forwards: true });
    expect([await isGuarded('lan0'), await isGuarded('wan0')]).toEqual([false, true]);
    await trial.remove();
    expect([await forwards('lan0'), await forwards('wan0')]).toEqual([true, false]);
  });

  it('routes no subnet that this machine has itself, and names where', async () => {
    await addDevice('lan0', '198.19.2.1/24');
    const applied = await trial.apply({ ...plan, subnets: ['198.19.2.128/25', '198.19.3.0/24'] });
    expect(applied.refusedSubnets).toEqual(
      new Map([['198.19.2.128/25', 'this machine has such a network itself, at lan0']]),
    );
    expect(await routes()).toContain('198.19.3.0/24');
    expect(await routes()).not.toContain('198.19.2.128/25');
  });

  it('routes neither its own address nor its router into the tunnel', async () => {
    await addDevice('wan0', '198.19.2.1/32');
    await trial.run('ip', 'route', 'add', 'default', 'via', '198.19.9.1', 'dev', 'wan0', 'onlink');
    const applied = await trial.apply({ ...plan, subnets: ['198.19.2.0/24', '198.19.8.0/22', '198.19.3.0/24'] });
    expect(applied.refusedSubnets).toEqual(
      new Map([
        ['198.19.2.0/24', 'it contains 198.19.2.1, the address of wan0'],
        ['198.19.8.0/22', 'it contains 198.19.9.1, the router at wan0'],
      ]),
    );
    expect(await routes()).toContain('198.19.3.0/24');
    expect(await routes()).not.toMatch(/198\.19\.[28]\.0/);
  });
});
