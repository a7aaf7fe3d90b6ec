import { runProgram } from '../../machine/runProgram.ts';

/** Marks our routes among those of the machine (`ip route show proto 151`). */
const PROTOCOL = 151;
/** Worse than any other route, and different for each tunnel of a machine, as its port is. */
const LAST_METRIC = 1_000_000;
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

type KnownRoute = { type?: string | undefined; dst: string; dev?: string | undefined; metric?: number | undefined };
type KnownAddress = { addr_info?: { local?: string; prefixlen?: number }[] };

/**
 * Gives the interface its address and its routes, and takes away those that it should not have. Behind each route is one
 * that leads nowhere: without the interface its packets must not leave by the default route.
 * @throws {ProgramError}
 */
export async function setRoutes(wanted: TunnelRoutes): Promise<void> {
  const { interface: name, gateway, network, port, subnets } = wanted;
  const metric = LAST_METRIC + port;
  const address = `${gateway}/${network.split('/')[1]}`;
  const behind = [network, ...subnets];
  const stale = [
    ...(await addressesOf(name)).filter((each) => each !== address).map((each) => `address delete ${each} dev ${name}`),
    ...(await routesOf(wanted)).flatMap(({ type, dst }) => {
      const isWanted = type === 'unreachable' ? behind.includes(dst) : subnets.includes(dst);
      return isWanted
        ? []
        : [type === 'unreachable' ? nowhere('delete', dst, metric) : `route delete ${dst} dev ${name}`];
    }),
  ];
  await batch([
    ...behind.map((each) => nowhere('replace', each, metric)),
    `address replace ${address} dev ${name}`,
    `link set dev ${name} mtu ${MTU_BYTES} up`,
    ...subnets.map((each) => `route replace ${each} dev ${name} proto ${PROTOCOL}`),
    ...stale,
  ]);
}

/** Takes away the routes that lead nowhere; the others go with the interface. @throws {ProgramError} */
export async function removeRoutes(of: Pick<TunnelRoutes, 'interface' | 'port'>): Promise<void> {
  const found = (await routesOf(of)).filter(({ type }) => type === 'unreachable');
  await batch(found.map(({ dst }) => nowhere('delete', dst, LAST_METRIC + of.port)));
}

const nowhere = (verb: string, network: string, metric: number): string =>
  `route ${verb} unreachable ${network} metric ${metric} proto ${PROTOCOL}`;

async function routesOf({ interface: name, port }: Pick<TunnelRoutes, 'interface' | 'port'>): Promise<KnownRoute[]> {
  const text = await runProgram('ip', ['-4', '-json', 'route', 'show', 'proto', String(PROTOCOL)]);
  return (JSON.parse(text || '[]') as KnownRoute[])
    .filter(({ type, dev, metric }) => (type === 'unreachable' ? metric === LAST_METRIC + port : dev === name))
    .map(({ type, dev, metric, dst }) => ({ type, dev, metric, dst: dst.includes('/') ? dst : `${dst}/32` }));
}

async function addressesOf(name: string): Promise<string[]> {
  const text = await runProgram('ip', ['-4', '-json', 'address', 'show', 'dev', name]);
  return (JSON.parse(text || '[]') as KnownAddress[]).flatMap(({ addr_info: infos = [] }) =>
    infos.map(({ local, prefixlen }) => `${local}/${prefixlen}`),
  );
}

async function batch(lines: readonly string[]): Promise<void> {
  if (lines.length > 0) await runProgram('ip', ['-batch', '/dev/stdin'], `${lines.join('\n')}\n`);
}
