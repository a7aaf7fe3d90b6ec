import { runProgram } from '../../machine/runProgram.ts';
import { ipv4Network } from '../../rules/ipNetwork.ts';

/** Marks our routes and our rule among those of the machine (`ip route show table all proto 151`). */
const PROTOCOL = 151;
/** Different for each tunnel of a machine, as its port is: the number of its table, and the worst metric of all. */
const LAST = 1_000_000;
/** Before rules of other programs, after the kernel's own for addresses of this machine. */
const RULE_PRIORITY = 1510;
/** What is left of an Ethernet packet (1500) over IPv6 and WireGuard, as WireGuard itself chooses. */
const MTU_BYTES = 1420;

export type TunnelRoutes = {
  interface: string;
  gateway: string;
  network: string;
  port: number;
  /** Behind nodes. */
  subnets: readonly string[];
};

type OwnRoutes = Pick<TunnelRoutes, 'interface' | 'port'> & Partial<Pick<TunnelRoutes, 'gateway' | 'network'>>;

/** As `ip` takes them after `route add` and `rule add`. */
type Lines = { routes: string[]; rules: string[] };

type KnownRoute = { type?: string; dst: string; dev?: string; table?: string; metric?: number };
type KnownRule = { src: string; table: string; priority: number; protocol?: string };
type KnownAddress = { addr_info?: { local?: string; prefixlen?: number }[] };

/**
 * The main table leads to the nodes and knows no subnet behind them, so that no subnet takes packets of another program
 * or of WireGuard itself. Subnets are in a table of the tunnel's own, for what is sent from the gateway's address in the
 * tunnel; that leaves by the tunnel or not at all. A packet for a node must not leave by the default route either while
 * there is no interface.
 */
function wantedLines({ interface: name, gateway, network, port, subnets }: TunnelRoutes): Lines {
  const own = LAST + port;
  return {
    routes: [
      nowhere(network, 'main', own),
      nowhere('default', own, own),
      ...[network, ...subnets].map((each) => through(name, each, own)),
    ],
    rules: [ruleFrom(gateway, own)],
  };
}

const through = (name: string, network: string, table: number | string): string =>
  `${network} dev ${name} proto ${PROTOCOL} table ${table}`;

const nowhere = (network: string, table: number | string, metric: number): string =>
  `unreachable ${network} metric ${metric} proto ${PROTOCOL} table ${table}`;

const ruleFrom = (address: string, table: number | string, priority = RULE_PRIORITY): string =>
  `from ${address} priority ${priority} protocol ${PROTOCOL} table ${table}`;

/**
 * Those that are there of this tunnel and of earlier ones, which had another port or network, or routed subnets in the
 * main table. An earlier network is known as long as the interface has its address there.
 * @throws {ProgramError}
 */
async function knownLines({ interface: name, port, gateway, network }: OwnRoutes): Promise<Lines> {
  const own = LAST + port;
  const [routesText, rulesText, had] = await Promise.all([
    runProgram('ip', ['-4', '-json', 'route', 'show', 'table', 'all', 'proto', String(PROTOCOL)]),
    runProgram('ip', ['-4', '-json', 'rule', 'show']),
    // There may be no interface any more.
    addressesOf(name).catch(() => []),
  ]);
  const gateways = [gateway, ...had.map((address) => address.split('/')[0])];
  const networks = [network, ...had.map(ipv4Network)];
  const rules = (JSON.parse(rulesText || '[]') as KnownRule[]).filter(
    ({ src, table, protocol }) => protocol === String(PROTOCOL) && (table === String(own) || gateways.includes(src)),
  );
  const tables = new Set(rules.map(({ table }) => table));
  return {
    routes: (JSON.parse(routesText || '[]') as KnownRoute[]).flatMap(
      ({ type, dst, dev, table = 'main', metric = 0 }) => {
        const to = dst === 'default' || dst.includes('/') ? dst : `${dst}/32`;
        const isOwn = metric === own || tables.has(table) || networks.includes(to);
        if (type === 'unreachable') return isOwn ? [nowhere(to, table, metric)] : [];
        return dev === name ? [through(name, to, table)] : [];
      },
    ),
    rules: rules.map(({ src, table, priority }) => ruleFrom(src, table, priority)),
  };
}

/**
 * Gives the interface its address, its routes and its rule, and takes away those that it should not have.
 * @throws {ProgramError}
 */
export async function setRoutes(wanted: TunnelRoutes): Promise<void> {
  const { interface: name, gateway, network } = wanted;
  const address = `${gateway}/${network.split('/')[1]}`;
  const [known, addresses] = await Promise.all([knownLines(wanted), addressesOf(name)]);
  const { routes, rules } = wantedLines(wanted);
  await batch([
    `address replace ${address} dev ${name}`,
    `link set dev ${name} mtu ${MTU_BYTES} up`,
    ...routes.map((route) => `route replace ${route}`),
    ...without(rules, known.rules).map((rule) => `rule add ${rule}`),
    ...addresses.filter((each) => each !== address).map((each) => `address delete ${each} dev ${name}`),
    ...without(known.routes, routes).map((route) => `route delete ${route}`),
    ...without(known.rules, rules).map((rule) => `rule delete ${rule}`),
  ]);
}

/** Whether all of them are there. @throws {ProgramError} */
export async function hasRoutes(wanted: TunnelRoutes): Promise<boolean> {
  const known = await knownLines(wanted);
  const { routes, rules } = wantedLines(wanted);
  return without(routes, known.routes).length === 0 && without(rules, known.rules).length === 0;
}

/** Takes away what does not go with the interface. @throws {ProgramError} */
export async function removeRoutes(of: OwnRoutes): Promise<void> {
  const { routes, rules } = await knownLines(of);
  await batch([...rules.map((rule) => `rule delete ${rule}`), ...routes.map((route) => `route delete ${route}`)]);
}

const without = (lines: readonly string[], others: readonly string[]): string[] =>
  lines.filter((line) => !others.includes(line));

async function addressesOf(name: string): Promise<string[]> {
  const text = await runProgram('ip', ['-4', '-json', 'address', 'show', 'dev', name]);
  return (JSON.parse(text || '[]') as KnownAddress[]).flatMap(({ addr_info: infos = [] }) =>
    infos.map(({ local, prefixlen }) => `${local}/${prefixlen}`),
  );
}

async function batch(lines: readonly string[]): Promise<void> {
  if (lines.length > 0) await runProgram('ip', ['-batch', '/dev/stdin'], `${lines.join('\n')}\n`);
}
