import type { Config } from '../config.ts';
import { ipv4Network } from '../rules/ipNetwork.ts';
import type { WiredoorData } from './wiredoorDatabase.ts';
import { type Left, type Machine, type PlannedNode, planNodes } from './wiredoorNodes.ts';
import { listsOf, planDomains, type PlannedDomain, type PlannedService, planServices } from './wiredoorServices.ts';

type Settings = Pick<Config, 'vpn' | 'ports' | 'tcpPorts' | 'wiredoorClients' | 'hostNames'>;

/** A setting that is not as the nodes need it. */
export type WantedSetting = {
  name: string;
  value: string;
  why: string;
  /** Nothing is taken over before it is so. */
  isRequired: boolean;
};

/** What becomes of a Wiredoor server. */
export type WiredoorPlan = {
  origin: WiredoorData['origin'];
  server: WiredoorData['server'];
  tokenKey: WiredoorData['tokenKey'];
  settings: WantedSetting[];
  nodes: PlannedNode[];
  domains: PlannedDomain[];
  services: PlannedService[];
  /** Who may reach the console. */
  console: { domain: string | null; allowedIps: string[] | null; blockedIps: string[] | null };
  left: Left[];
};

/** Of Wiredoor's own two rows. */
const CONSOLE = 'Wiredoor_APP';
const DROPPED =
  'it refused paths with a dot in front (/.git, /.env) and set X-Frame-Options, X-Content-Type-Options and Referrer-Policy. Here the backends do, or do not';

const NOT_TOLD =
  'its API does not tell them, or they are not asked for; its files have them (docs/guide/migrate-wiredoor.md)';

/**
 * What becomes of a Wiredoor server. Nothing that is protected there is open here.
 * @param settings those that the gateway would have
 */
export function planWiredoor(data: WiredoorData, settings: Settings, machine: Machine): WiredoorPlan {
  const left: Left[] = [];
  const locals = new Set(data.nodes.flatMap(({ id, isLocal }) => (isLocal ? [id] : [])));
  const own = data.httpServices.find(({ name, nodeId }) => name === CONSOLE && locals.has(nodeId));
  const domain = own?.domain?.toLowerCase() ?? null;
  const nodes = planNodes(data, machine, left);
  // Nodes call where its console was.
  const hostNames = [settings.vpn.host.toLowerCase(), ...settings.hostNames, ...(domain === null ? [] : [domain])];
  const domains = planDomains(data, hostNames, left);
  const services = planServices(
    { ...data, httpServices: data.httpServices.filter((service) => service !== own) },
    { nodes, locals, domains, hostNames, tcpPorts: settings.tcpPorts, now: machine.now, left },
  );
  if (own !== undefined) {
    const signIn = own.requireAuth
      ? ', and asks for the password alone, not for a sign-in before: limit its addresses'
      : '';
    left.push({ what: CONSOLE, why: `the console of this gateway has a port of its own${signIn}` });
  }
  if (data.origin !== null) {
    for (const { notes } of nodes) notes.push('it has new keys: its host has to join again, with a token of this node');
    left.push({ what: 'keys of the server and its nodes, access tokens, certificates', why: NOT_TOLD });
  }
  if (services.some(({ kind }) => kind === 'http')) {
    left.push({ what: 'what Wiredoor itself did for every domain', why: DROPPED });
  }
  return {
    origin: data.origin,
    server: data.server,
    tokenKey: nodes.some(({ tokens }) => tokens.length > 0) ? data.tokenKey : null,
    settings: data.origin === null ? wantedSettings(data, domain, settings) : laterSettings(data, domain, settings),
    nodes,
    domains,
    services,
    // Where they cannot be read, only the machine itself reaches the console.
    console: { domain, ...listsOf(own ?? { allowedIps: null, blockedIps: null }) },
    left,
  };
}

function wantedSettings(data: WiredoorData, consoleName: string | null, settings: Settings): WantedSetting[] {
  const { vpn, ports, wiredoorClients } = settings;
  const { subnet, port } = data.server;
  const wanted: (WantedSetting | false)[] = [
    !vpn.isHostGiven && {
      name: 'SALLYPORT_VPN_HOST',
      value: 'NAME',
      why: "the name or address that Wiredoor had as VPN_HOST, which stands in its nodes' configurations",
      isRequired: true,
    },
    ipv4Network(vpn.subnet) !== subnet && {
      name: 'SALLYPORT_VPN_SUBNET',
      value: subnet,
      why: 'nodes take packets of that network alone',
      isRequired: true,
    },
    vpn.port !== port && {
      name: 'SALLYPORT_VPN_PORT',
      value: String(port),
      why: 'nodes send to that port',
      isRequired: true,
    },
    !vpn.enabled && { name: 'SALLYPORT_TUNNEL', value: 'on', why: 'without it no node is reached', isRequired: true },
    ports.https !== 443 && {
      name: 'SALLYPORT_HTTPS_PORT',
      value: '443',
      why: "Wiredoor's programs on the nodes ask that port",
      isRequired: true,
    },
    !wiredoorClients && {
      name: 'SALLYPORT_WIREDOOR_CLIENTS',
      value: 'on',
      why: "Wiredoor's programs on the nodes restart the tunnel again and again where they are not answered",
      isRequired: true,
    },
  ];
  const why = "nodes call the API at that name, which was the console's";
  return [
    ...wanted.filter((each) => each !== false),
    ...nameSetting(consoleName, settings, { why, isRequired: true }),
    ...portSetting(data, settings),
  ];
}

function nameSetting(
  consoleName: string | null,
  { vpn, hostNames }: Settings,
  about: Pick<WantedSetting, 'why' | 'isRequired'>,
): WantedSetting[] {
  if (consoleName === null || [vpn.host.toLowerCase(), ...hostNames].includes(consoleName)) return [];
  return [{ name: 'SALLYPORT_HOST_NAMES', value: [...hostNames, consoleName].join(','), ...about }];
}

/** What counts also where all hosts join again. */
function laterSettings(data: WiredoorData, consoleName: string | null, settings: Settings): WantedSetting[] {
  const why = 'services without a domain were reached by that name, too';
  return [...nameSetting(consoleName, settings, { why, isRequired: false }), ...portSetting(data, settings)];
}

function portSetting({ tcpServices }: WiredoorData, { tcpPorts }: Settings): WantedSetting[] {
  const publicPorts = tcpServices.map((service) => service.port).filter((each) => each > 0 && each < 65_536);
  const [lowest, highest] = [Math.min(...publicPorts), Math.max(...publicPorts)];
  if (!(lowest < tcpPorts.from || highest > tcpPorts.to)) return [];
  return [
    {
      name: 'SALLYPORT_TCP_PORTS',
      value: `${lowest}-${highest}`,
      why: 'services whose public ports are outside of it stay closed until it holds them',
      isRequired: false,
    },
  ];
}
