import type { Client } from '@sallyport/sdk';
import type { OwnNode } from '@sallyport/sdk/contract';
import { Failure } from '../failure.ts';
import type { Secret } from '../io.ts';
import { EVERYWHERE, checkRoutes, gatewayAddressIn } from './acceptedRoutes.ts';
import { endpointOf, tunnelText } from './tunnelText.ts';
import type { Consent, HostConfig, HostConfigFile } from './hostConfig.ts';
import { createGatewayMoves } from './gatewayMoves.ts';
import {
  type Listener,
  type Port,
  type PublishedPort,
  exposingCommand,
  listenersIn,
  portName,
  portOf,
  publishedPorts,
  reachOf,
} from './loopback.ts';
import type { Machine } from './machine.ts';
import { type Tunnel, type TunnelChange, createTunnel, notRoot } from './tunnel.ts';
import { readIfThere } from '../storedFile.ts';

type Connect = (target: {
  url: string;
  token?: Secret;
  pin: string | null;
  renewPin?: (pin: string) => void;
}) => Promise<Client>;

/** What the gateway says of this host. */
export type Fetched = {
  node: OwnNode;
  /** The file of the tunnel. */
  text: string;
  /** The networks that this host has agreed to once the tunnel is up. */
  networks: string[];
  /** The gateway's own address in the tunnel; null: it does not say. */
  gatewayAddress: string | null;
  /** Where the gateway says that the tunnel ends, and where it leads. */
  endpoint: { given: string; used: string };
  /** The DNS servers that the gateway names and this host does not use, as it has not agreed to that; null: none. */
  unusedDns: string | null;
};

/** This host as a node: its configuration, its tunnel, and what its gateway says. */
export type Host = {
  readonly machine: Machine;
  readonly file: HostConfigFile;
  /** The configuration, or a `Failure` that says how to join. */
  config(): HostConfig;
  tunnel(name: string): Tunnel;
  /** What this host has agreed to: by its configuration, else by the tunnel that is there. */
  consent(config: HostConfig): Consent;
  /** A client that acts as this node. */
  client(config: HostConfig): Promise<Client>;
  /** Ends with a sentence unless root runs this. */
  requireRoot(what: string): void;
  /** The node as the gateway knows it, and the file of its tunnel. A gateway that moved is followed, in `config` as well. */
  fetch(config: HostConfig, signal: AbortSignal): Promise<Fetched>;
  /** Brings the tunnel up as it was fetched, and keeps its networks, in `config` as well. */
  bringUp(config: HostConfig, fetched: Pick<Fetched, 'text' | 'networks'>): Promise<TunnelChange>;
  /** The same, unless this host has been disconnected or joined elsewhere since `config` was read: null. */
  keepUp(config: HostConfig, fetched: Pick<Fetched, 'text' | 'networks'>): Promise<TunnelChange | null>;
  /**
   * Forwards the ports that the node's open services lead to and this host has agreed to, where the gateway does not reach them
   * by itself. What was agreed for a service that is gone is forgotten, in `config` as well.
   * @param config as it was when the gateway was asked
   */
  forward(config: HostConfig, fetched: Pick<Fetched, 'node' | 'gatewayAddress'>): Promise<Forwarded>;
  /** Looks at the ports that the node's open services lead to, as far as the gateway needs this host's help to reach them. */
  loopbackPorts(config: HostConfig, node: Fetched['node']): Promise<LoopbackPort[]>;
  /**
   * Publishes a port by `work`. It is forwarded before that, so that the gateway's first look at it finds its server, and
   * this host has agreed to it from then on.
   * @param port undefined: one that this host does not agree to
   */
  publish<T>(
    config: HostConfig,
    fetched: Pick<Fetched, 'node' | 'gatewayAddress'>,
    port: Port | undefined,
    work: () => Promise<T>,
  ): Promise<{ result: T; forwarded: Forwarded }>;
};

/** What became of the ports that a node's open services lead to. */
export type Forwarded = {
  /** All that listens on this host. */
  listeners: Listener[];
  ports: Port[];
  /** Those that listen on loopback alone, and that no command on this host has exposed. */
  refused: PublishedPort[];
  /** Why `ports` could not be forwarded; null: they are. */
  problem: string | null;
};

/** A port of this host that is forwarded to the loopback address, or that listens there alone and is not. */
export type LoopbackPort = PublishedPort & {
  forwarded: boolean;
  /** What has it forwarded, or says why it cannot be; null: it is. */
  command: string | null;
};

/** What stands in the tunnel's file, as far as it can be read; who writes it says what is wrong with it. */
function textAt(path: string): string | null {
  try {
    return readIfThere(path);
  } catch {
    return null;
  }
}

/** The networks that a tunnel carries by its file, and the address that it gives this host. */
const networksIn = (text: string): string[] =>
  [...text.matchAll(/^(?:AllowedIPs|Address) = (.+)$/gm)]
    .flatMap(([, value = '']) => value.split(',').map((each) => each.trim()))
    .filter((each) => !EVERYWHERE.includes(each));

/** What listens on this machine; nothing is known where `ss`, which comes with `ip`, is missing. */
const listening = async (machine: Machine): Promise<Listener[]> =>
  machine.find('ss') === null ? [] : listenersIn((await machine.run('ss', ['-Hlntu'])).out);

/** The ways in which a host becomes a node, in a sentence. */
export const HOW_TO_JOIN =
  'Join one with `sallyport join --url URL` and the code that its console shows, as administrator with `sallyport login --url URL`, or with a token: `sallyport connect --url URL`.';

/** Puts the host together. */
export function createHost(machine: Machine, file: HostConfigFile, connect: Connect): Host {
  const tunnel = (name: string) => createTunnel(machine, file.directory, name);
  const client = (config: HostConfig) => {
    const { url, token, pin } = config;
    const renewPin = (next: string) => {
      file.renewPin(pin, next);
      // What is written later from this same configuration must not bring the old one back.
      config.pin = next;
    };
    return connect({ url, token, pin, renewPin });
  };
  const moves = createGatewayMoves(file, client);
  const consent = (config: HostConfig): Consent => {
    const { interface: name, allowInternet, allowDns, allowNetworks, allowLoopback } = config;
    const present = textAt(tunnel(name).path) ?? '';
    const internet = allowInternet ?? /^AllowedIPs = (?:.*[ ,])?(?:0\.0\.0\.0|::)\/0\b/m.test(present);
    // All traffic by one way and all names by another would give the traffic away.
    return {
      allowInternet: internet,
      allowDns: internet || (allowDns ?? present.includes("printf 'nameserver ")),
      allowNetworks: allowNetworks ?? networksIn(present),
      allowLoopback: allowLoopback ?? [],
    };
  };
  return {
    machine,
    file,
    tunnel,
    consent,
    client,
    config() {
      const found = file.read();
      if (found) return found;
      throw new Failure('disconnected', 'This host is not a node of a gateway.', HOW_TO_JOIN);
    },
    requireRoot(what) {
      if (!machine.isRoot) throw notRoot(what);
    },
    async fetch(config, signal) {
      const [node, wg] = await moves.ask(config, ({ cli }) =>
        Promise.all([cli.node({}, { signal }), cli.wgconfig({}, { signal })]),
      );
      await moves.learn(config, wg.peer.endpoint.host, signal);
      tunnel(config.interface).requireTools(node.isGateway);
      const hasIptables = machine.find('iptables') !== null;
      const given = wg.peer.endpoint;
      const endpoint = await endpointOf({
        endpoint: given,
        url: config.url,
        present: textAt(tunnel(config.interface).path),
        resolves: machine.resolves,
      });
      const { allowInternet, allowDns, allowNetworks } = consent(config);
      const networks = await checkRoutes({
        wg,
        allowInternet,
        allowNetworks,
        ownNetworks: machine.networks(config.interface),
        usedNetworks: () => machine.usedNetworks(config.interface),
      });
      const reached = { ...wg, peer: { ...wg.peer, endpoint } };
      return {
        node,
        text: tunnelText({ interface: config.interface, wg: reached, node, allowDns, hasIptables }),
        networks,
        gatewayAddress: gatewayAddressIn(node, wg),
        endpoint: { given: given.host, used: endpoint.host },
        unusedDns: allowDns ? null : wg.dns || null,
      };
    },
    async bringUp(config, { text, networks }) {
      const change = await tunnel(config.interface).up(text);
      keepNetworks(config, networks);
      return change;
    },
    async keepUp(config, { text, networks }) {
      const change = await tunnel(config.interface).keepUp(text, () => isStill(config));
      if (change !== null) keepNetworks(config, networks);
      return change;
    },
    async forward(config, fetched) {
      const { isForwarding, inTurn } = tunnel(config.interface);
      const isNeeded = isForwarding() || consent(file.read() ?? config).allowLoopback.length > 0;
      return isNeeded ? inTurn(() => settle(config, fetched)) : settle(config, fetched);
    },
    async loopbackPorts(config, node) {
      const open = publishedPorts(node, 'open');
      if (open.length === 0) return [];
      const [listeners, now] = await Promise.all([listening(machine), tunnel(config.interface).forwardedPorts()]);
      const forwarded = new Set(now.map(portName));
      return open.flatMap((port): LoopbackPort[] => {
        if (forwarded.has(portName(port))) return [{ ...port, forwarded: true, command: null }];
        if (reachOf(listeners, port, node.address) !== 'loopback') return [];
        return [{ ...port, forwarded: false, command: `sudo ${exposingCommand(port)}` }];
      });
    },
    async publish(config, fetched, port, work) {
      const inTurn = machine.isRoot ? tunnel(config.interface).inTurn : <T>(change: () => Promise<T>) => change();
      return inTurn(async () => {
        const forwarded = await settle(config, fetched, port);
        try {
          const result = await work();
          if (port && machine.isRoot)
            file.keepLoopback(config.url, (ports) => [...new Set([...ports, portName(port)])]);
          return { result, forwarded };
        } catch (error) {
          // What was forwarded for it is not published.
          await settle(config, fetched).catch(() => undefined);
          throw error;
        }
      });
    },
  };

  function keepNetworks(config: HostConfig, networks: string[]): void {
    if (config.allowNetworks?.join() === networks.join()) return;
    file.keepNetworks(config.url, networks);
    config.allowNetworks = networks;
  }

  /** Whether this host is still meant to be connected as `config` says. */
  function isStill(config: HostConfig): boolean {
    const now = file.read();
    return now?.connected === true && now.url === config.url && now.token.reveal() === config.token.reveal();
  }

  /** Forwards what is to be forwarded as the gateway said it was, and what has been agreed to since. */
  async function settle(
    config: HostConfig,
    { node, gatewayAddress }: Pick<Fetched, 'node' | 'gatewayAddress'>,
    early?: Port,
  ): Promise<Forwarded> {
    const before = consent(config).allowLoopback;
    const agreed = consent(file.read() ?? config).allowLoopback;
    const isAgreed = (port: Port) => agreed.includes(portName(port));
    const open = publishedPorts(node, 'open');
    const since = agreed.filter((name) => !before.includes(name)).map(portOf);
    const listeners = open.length + since.length > 0 || early !== undefined ? await listening(machine) : [];
    const reach = (port: Port) => reachOf(listeners, port, node.address);
    const wanted = [...open.filter(isAgreed), ...since, ...(early ? [early] : [])];
    const ports = wanted.filter((port) => reach(port) !== 'reachable');
    const refused = open.filter((port) => !isAgreed(port) && reach(port) === 'loopback');
    const problem = await tunnel(config.interface).forward({ gateway: gatewayAddress, own: node.address, ports });
    const published = publishedPorts(node, 'all').map(portName);
    const isOver = (name: string) => before.includes(name) && !published.includes(name);
    if (agreed.some(isOver)) file.keepLoopback(config.url, (kept) => kept.filter((name) => !isOver(name)));
    config.allowLoopback = agreed.filter((name) => !isOver(name));
    return { listeners, ports, refused, problem };
  }
}
