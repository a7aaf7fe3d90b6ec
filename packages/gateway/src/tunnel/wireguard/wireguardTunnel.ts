import { networkInterfaces } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import pLimit from 'p-limit';
import { endSockets } from '../../machine/openSockets.ts';
import { runProgram } from '../../machine/runProgram.ts';
import { NOTHING_REFUSED, type Tunnel, type TunnelApplied, type TunnelPlan, type TunnelStatus } from './tunnel.ts';
import { devicesIn, devicesToOpen, isForwarding, noteOf, startForwarding, stopForwarding } from './forwarding.ts';
import { localRoutes, overlapping, usedAddresses } from './localNetworks.ts';
import {
  findDevice,
  hasInterface,
  makeDevice,
  noteAt,
  removeDevice,
  setNoteAt,
  tunnelMachine,
  type WireguardDevice,
} from './device.ts';
import { hasRoutes, removeRoutes, setRoutes, type TunnelRoutes } from './routes.ts';

/** How often it is looked whether someone took the packet filter or a route away; no event tells of it. */
const LOOK_MS = 10_000;

export type WireguardTunnelOptions = {
  interface: string;
  port: number;
  /** The packet filter: its table, the text for `nft` that takes it away, and the one that guards these interfaces. */
  firewall: { table: string; removal: string; guard(devices: readonly string[]): string };
  /** The public key that the gateway had before its keys were replaced; an interface that has it is ours, too. */
  formerKey?: string | null;
};

/** The tunnel on this machine: WireGuard of the kernel or of `wireguard-go`, nftables, and routes. */
export async function createWireguardTunnel(options: WireguardTunnelOptions): Promise<Tunnel> {
  const name = options.interface;
  const machine = await tunnelMachine();
  const listeners = new Set<() => void>();
  let status: TunnelStatus = machine;
  let device: WireguardDevice | null = null;
  /** What the machine was last made to be like; null: it has to be looked at as a whole. */
  let applied: { plan: TunnelPlan; config: string; result: TunnelApplied } | null = null;
  /** Which networks each peer was last given: connections outlive an interface that is taken away. */
  let given: readonly string[] = [];
  /** The gateway's public key, by which its interface is known; null: there was no plan yet. */
  let ownKey: string | null = null;
  /** The interfaces at which we turned forwarding on. */
  let opened: readonly string[] = [];
  let looking: NodeJS.Timeout | null = null;
  const inTurn = pLimit(1);
  let closed = false;

  function hold(found: WireguardDevice): void {
    device?.close();
    device = found;
    void found.gone.then(() => device === found && damaged());
  }

  function letGo(): void {
    const held = device;
    device = null;
    held?.close();
  }

  function damaged(): void {
    if (applied === null || closed) return;
    applied = null;
    letGo();
    for (const listener of listeners) listener();
  }

  async function look(): Promise<void> {
    const now = applied;
    if (now === null) return;
    const { plan, result } = now;
    const hasAddress = networkInterfaces()[name]?.some(({ address }) => address === plan.gateway);
    const [isRouted, hasFirewall] = await Promise.all([
      hasRoutes(routesOf(plan, result.refusedSubnets)).catch(() => false),
      runProgram('nft', ['-t', 'list', 'table', 'inet', options.firewall.table]).then(
        () => true,
        () => false,
      ),
    ]);
    // The machine may have got another DNS server, router or address since.
    const isRefusedStill = isDeepStrictEqual(refusals(plan, name), result.refusedSubnets);
    const isWhole = hasAddress && isRouted && hasFirewall && isRefusedStill && forwardsAsWanted(now);
    if (applied === now && !isWhole) damaged();
  }

  /** The machine may have got another interface since, or been told to forward. */
  function forwardsAsWanted({ plan, result }: { plan: TunnelPlan; result: TunnelApplied }): boolean {
    if (!plan.forwards) return true;
    const forwards = [...opened, name].every(isForwarding);
    return forwards === (result.forwardingProblem === null) && isDeepStrictEqual(devicesToOpen(name, opened), opened);
  }

  const routesOf = (
    { gateway, network, port, subnets }: TunnelPlan,
    refused: TunnelApplied['refusedSubnets'],
  ): TunnelRoutes => ({
    interface: name,
    gateway,
    network,
    port,
    subnets: subnets.filter((subnet) => !refused.has(subnet)),
  });

  function keepLooking(): void {
    if (looking !== null || closed) return;
    looking = setInterval(() => void inTurn(look), LOOK_MS);
    looking.unref();
  }

  /**
   * The interface that is there, if it is ours; null when there is none.
   * @throws {Refusal} when it is someone else's
   */
  async function ownDevice(publicKey: string): Promise<{ found: WireguardDevice; isNew: boolean } | null> {
    if (device !== null && applied !== null) return { found: device, isNew: false };
    const there = await findDevice(name);
    if (there === null) {
      if (hasInterface(name)) throw foreign(name);
      return null;
    }
    const key = await there.publicKey();
    // Without a key it is one that a gateway was killed over when it had just made it.
    if (key === null || key === publicKey) return { found: there, isNew: key === null };
    there.close();
    if (key === options.formerKey) {
      // Its nodes know the gateway by a key that is lost: nothing of it can be used any more.
      await removeDevice(name);
      return null;
    }
    throw foreign(name);
  }

  /** Whether there is nothing of that name that another program would miss. */
  async function mayTakeAway(): Promise<boolean> {
    if (!machine.available || ownKey === null) return false;
    try {
      (await ownDevice(ownKey))?.found.close();
      return true;
    } catch {
      return false;
    }
  }

  async function follow(plan: TunnelPlan): Promise<TunnelApplied> {
    const before = applied;
    ownKey = plan.publicKey;
    let isNew = false;
    let own: Awaited<ReturnType<typeof ownDevice>> = null;
    try {
      const refusedSubnets = refusals(plan, name);
      // First of all: nothing is done about the packets of an interface that is another program's.
      own = await ownDevice(plan.publicKey);
      if (before === null && own !== null && opened.length === 0) opened = devicesIn(await noteAt(name));
      const openedBefore = opened;
      const toOpen = plan.forwards ? devicesToOpen(name, opened) : [];
      if (!plan.forwards && opened.length > 0) stopForwarding([...opened, name]);
      // Before the interface: there is no moment in which its packets are let through, nor those of strangers.
      if (before?.plan.firewall !== plan.firewall || !isDeepStrictEqual(toOpen, opened)) {
        await runProgram('nft', ['-f', '/dev/stdin'], plan.firewall + options.firewall.guard(toOpen));
      }
      opened = toOpen;
      if (plan.keyProblem !== null) throw keyless(plan.keyProblem);
      const ensured = own ?? { found: await makeDevice(name), isNew: true };
      isNew = ensured.isNew;
      const config = plan.config(new Map());
      if (before?.config !== config.reveal()) {
        await endFormerConnections(isNew ? null : name, plan).catch(() => undefined);
        // Where the nodes are that are here, WireGuard knows best.
        const here = new Set(isNew ? [] : (await ensured.found.read()).map(({ publicKey }) => publicKey));
        const others = new Map([...plan.endpoints].filter(([publicKey]) => !here.has(publicKey)));
        await runProgram('wg', [isNew ? 'setconf' : 'syncconf', name, '/dev/stdin'], plan.config(others));
        given = pairsOf(plan.peers);
      }
      if (before === null || String(before.plan.subnets) !== String(plan.subnets)) {
        await setRoutes(routesOf(plan, refusedSubnets));
      }
      if (before === null || !isDeepStrictEqual(opened, openedBefore)) await setNoteAt(name, noteOf(opened));
      const result: TunnelApplied = {
        status: { available: true },
        refusedSubnets,
        forwardingProblem: plan.forwards ? startForwarding([...opened, name]) : null,
      };
      if (device !== ensured.found) hold(ensured.found);
      applied = { plan, config: config.reveal(), result };
      keepLooking();
      return result;
    } catch (error) {
      applied = null;
      // Whatever went wrong: a node that is disabled or deleted must not stay connected.
      if (own !== null && !own.isNew) await removeOthers(own.found, plan).catch(() => undefined);
      if (own !== null && own.found !== device) own.found.close();
      letGo();
      // Half a tunnel is none. One that served before goes on with its old nodes; it is tried again.
      if (isNew || !hasInterface(name)) await takeAway().catch(() => undefined);
      return { ...NOTHING_REFUSED, status: failure(error, options.port) };
    }
  }

  /**
   * Ends what this machine has open from the tunnel to addresses that a node is about to get. The kernel sends what a
   * program left unsent even after the program's end, and the node would get what was meant for the one before. A machine
   * without `ss` goes without.
   * @param there the interface; null: it is new
   * @throws {ProgramError}
   */
  async function endFormerConnections(there: string | null, { gateway, peers }: TunnelPlan): Promise<void> {
    const had = new Set(there === null ? given : await readPairs(there));
    const gained = [...peers].flatMap(([key, networks]) => networks.filter((network) => !had.has(`${key} ${network}`)));
    await endSockets(gained.map((network) => `( src ${gateway} and dst ${network} )`));
  }

  /** It takes no key to let a node go. */
  async function removeOthers(from: WireguardDevice, { peers }: TunnelPlan): Promise<void> {
    const gone = (await from.read()).map(({ publicKey }) => publicKey).filter((key) => !peers.has(key));
    if (gone.length === 0) return;
    await runProgram('wg', ['set', name, ...gone.flatMap((key) => ['peer', key, 'remove'])]);
  }

  async function takeAway(): Promise<void> {
    letGo();
    const forwarded = opened;
    opened = [];
    await takeTunnelAway({ ...options, forwarded, removal: options.firewall.removal });
  }

  return {
    status: () => status,
    present: () => hasInterface(name),
    apply: (plan) =>
      inTurn(async () => {
        if (!machine.available) return { ...NOTHING_REFUSED, status: machine };
        const result = await follow(plan);
        status = result.status;
        return result;
      }),
    async read() {
      if (device === null || applied === null) return null;
      const asked = device;
      try {
        return await asked.read();
      } catch {
        if (device === asked) damaged();
        return null;
      }
    },
    onDamage(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    remove: () =>
      inTurn(async () => {
        applied = null;
        if (await mayTakeAway()) await takeAway();
      }),
    close() {
      closed = true;
      if (looking !== null) clearInterval(looking);
      letGo();
    },
  };
}

type Taken = { interface: string; port: number; forwarded: readonly string[]; removal: string };

/** @throws {AggregateError} */
async function takeTunnelAway({ interface: name, port, forwarded, removal }: Taken): Promise<void> {
  const failures: unknown[] = [];
  // Each of them, also when another one fails. Which routes are its own the interface tells.
  const steps = [
    async () => stopForwarding(forwarded),
    () => removeRoutes({ interface: name, port }),
    () => removeDevice(name),
    () => runProgram('nft', ['-f', '/dev/stdin'], removal),
  ];
  for (const step of steps) await step().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, 'The tunnel could not be taken away.');
}

/**
 * Takes an interface away that this gateway had with other settings: no one could disconnect its nodes any more.
 * @param removal the text for `nft` that takes its packet filter away
 * @throws {AggregateError} {ProgramError}
 */
export async function removeFormerTunnel(name: string, port: number, removal: string): Promise<void> {
  await takeTunnelAway({ interface: name, port, forwarded: devicesIn(await noteAt(name)), removal });
}

/** Each network with the key of the peer that has it. */
const pairsOf = (peers: Iterable<readonly [string, readonly string[]]>): string[] =>
  [...peers].flatMap(([key, networks]) => networks.map((network) => `${key} ${network}`));

/** What the peers of an interface have, as `pairsOf` writes it. @throws {ProgramError} */
async function readPairs(name: string): Promise<string[]> {
  const lines = (await runProgram('wg', ['show', name, 'allowed-ips'])).trim().split('\n');
  return pairsOf(lines.map((line) => line.split(/\s+/)).map(([key = '', ...networks]) => [key, networks]));
}

/** A reason in words for the administrator, and what changes it. */
class Refusal extends Error {
  readonly fix: string;

  constructor(reason: string, fix: string) {
    super(reason);
    this.fix = fix;
  }
}

const keyless = (reason: string): Refusal =>
  new Refusal(
    reason,
    'Put the key file back, or start once with SALLYPORT_FORGET_KEYS=1; every host has to join again then.',
  );

const foreign = (name: string): Refusal =>
  new Refusal(
    `The network interface ${name} belongs to another program or another gateway.`,
    'Choose another name with SALLYPORT_VPN_INTERFACE, then start the gateway again.',
  );

/** The subnets that this machine has or needs itself, with the reason as a part of a sentence. */
function refusals({ subnets }: Pick<TunnelPlan, 'subnets'>, name: string): Map<string, string> {
  const routes = localRoutes(name);
  const used = usedAddresses(name);
  const reasonOf = (subnet: string): string | null => {
    const route = overlapping(subnet, routes);
    if (route !== null) return `this machine has such a network itself, at ${route.device}`;
    const needed = used.find(({ address }) => overlapping(subnet, [{ network: `${address}/32`, device: '' }]) !== null);
    return needed === undefined ? null : `it contains ${needed.address}, ${needed.use}`;
  };
  const refused = new Map<string, string>();
  for (const subnet of subnets) {
    const reason = reasonOf(subnet);
    if (reason !== null) refused.set(subnet, reason);
  }
  return refused;
}

function failure(error: unknown, port: number): TunnelStatus {
  const { message: reason, fix } = error instanceof Refusal ? error : explained(error, port);
  return { available: false, failed: true, reason, fix };
}

function explained(error: unknown, port: number): Refusal {
  const text = error instanceof Error ? error.message : String(error);
  return /address already in use/i.test(text)
    ? new Refusal(
        `Another program uses UDP port ${port}.`,
        'Stop it, or choose another port with SALLYPORT_VPN_PORT. It is tried again by itself.',
      )
    : new Refusal(
        `WireGuard could not be set up (${text}).`,
        'The log of the gateway says more. It is tried again by itself.',
      );
}
