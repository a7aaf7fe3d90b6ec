import type { Machine } from './machine.ts';
import { type Forwarding, type Port, forwardedIn, loopbackRules, loopbackTable } from './loopback.ts';

/** Whether packets that come in by an interface may go to a loopback address. */
const routesLoopback = (name: string): string => `net/ipv4/conf/${name}/route_localnet`;

/** Whether an interface forwards to loopback addresses, by its setting. */
export const isForwarding = (machine: Machine, name: string): boolean => machine.setting(routesLoopback(name)) === '1';

/**
 * Forwards by the tunnel's interface exactly these ports; what was forwarded before and is none of them ends, with the
 * connections that are open. Rules of others that are loaded again may have taken ours away, so they are made again each time.
 * @param installNftables a sentence that says how
 * @returns why it cannot be done, in a sentence or two; null: it is as it should be
 */
export async function forwardLoopback(
  machine: Machine,
  name: string,
  forwarding: Forwarding,
  installNftables: string,
): Promise<string | null> {
  if (forwarding.ports.length === 0) {
    await endForwarding(machine, name);
    return null;
  }
  if (machine.setting(routesLoopback(name)) === null) return 'the tunnel is not up; connect with `sallyport connect`.';
  if (!machine.isRoot) return 'only root may forward it; run the command with sudo.';
  if (forwarding.gateway === null) return 'the gateway does not say its own address in the tunnel; update the gateway.';
  if (machine.find('nft') === null) {
    return `nftables is not installed. ${installNftables}`;
  }
  const { code, err } = await machine.run('nft', [loopbackRules(name, forwarding)]);
  if (code !== 0) {
    await endForwarding(machine, name);
    const [reason = ''] = err.trim().split('\n');
    return `nftables refuses it (${reason.replace(/[.]$/, '')}).`;
  }
  // Only now: without the rules everything on loopback would be open to the gateway.
  if (isForwarding(machine, name) || machine.changeSetting(routesLoopback(name), '1')) return null;
  await machine.run('nft', ['delete', 'table', ...loopbackTable(name).split(' ')]);
  return `the setting net.ipv4.conf.${name}.route_localnet cannot be changed here.`;
}

/** The ports that an interface forwards now, by the rules themselves. */
export async function forwardedPorts(machine: Machine, name: string): Promise<Port[]> {
  if (!isForwarding(machine, name)) return [];
  const { out } = await machine.run('nft', [
    '--numeric',
    'list',
    'chain',
    ...loopbackTable(name).split(' '),
    'forward',
  ]);
  return forwardedIn(out);
}

/** Ends all forwarding by an interface. The setting is as a new interface has it, and cuts what is open. */
export async function endForwarding(machine: Machine, name: string): Promise<void> {
  if (!isForwarding(machine, name)) return;
  machine.changeSetting(routesLoopback(name), machine.setting(routesLoopback('default')) ?? '0');
  await machine.run('nft', ['delete', 'table', ...loopbackTable(name).split(' ')]);
}

/**
 * Ends forwarding when something has taken the rules away, as a firewall that is loaded again does (`flush ruleset`): what
 * they guard must not stay open without them.
 */
export async function checkGuard(machine: Machine, name: string): Promise<void> {
  if (!isForwarding(machine, name)) return;
  const { code } = await machine.run('nft', ['list', 'chain', ...loopbackTable(name).split(' '), 'guard']);
  if (code !== 0) machine.changeSetting(routesLoopback(name), '0');
}
