import { UnquotableError } from '../../rules/attempt.ts';

/** A node, as far as the packet filter knows it. */
export type FirewallNode = {
  id: number;
  address: string;
  /** What is behind it; CIDR, IPv4. */
  subnets: readonly string[];
  /** Whether it sends all its traffic through the tunnel. */
  allowInternet: boolean;
};

/** What the packet filter is rendered from. */
export type FirewallPlan = {
  /** The tunnel's. */
  interface: string;
  /** CIDR, IPv4. */
  network: string;
  /** The gateway's own address in it. */
  gateway: string;
  nodes: readonly FirewallNode[];
  /** On which the gateway serves everybody: those nodes reach them through the tunnel as well. */
  publicPorts: readonly (number | { from: number; to: number })[];
  /** TCP: on which every node reaches the gateway at its address in the tunnel, as a visitor; null: on none. */
  visitedPort: number | null;
  /** UDP, of the tunnel itself. */
  port: number;
};

/**
 * Not the internet: this machine's own networks and those around it, the place where clouds keep their secrets
 * (169.254.169.254) among them.
 */
const NOT_INTERNET = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '224.0.0.0/3',
  // Where clouds answer their own machines, outside of the networks above: Azure, Oracle and IBM.
  '168.63.129.16/32',
  '192.0.0.0/24',
  '161.26.0.0/16',
  '166.8.0.0/14',
];

/**
 * From which ports connections of nodes go on to the internet, the first range that holds no port of the gateway. With
 * the port that the node chose, its packet to a visitor would have the kernel take the visitor's next packet to that port of the gateway
 * for the answer. None of them is among those that Linux takes for the machine's own connections.
 */
const OUTGOING_PORTS = [
  { from: 61_000, to: 65_535 },
  { from: 28_000, to: 32_767 },
  { from: 10_000, to: 14_999 },
];
/**
 * Pieces of packets wait up to half a minute for the rest, in 4 MB that all nodes share, before any other rule sees them:
 * what one node may send does not fill that.
 */
const FRAGMENTS = 'limit rate over 40/second burst 100 packets';

/**
 * How many connections a node that reaches the internet may have at once. The kernel keeps each in a table of the whole
 * machine, which on a small one has room for some 65,000.
 */
const CONNECTIONS_MAX = 2048;
/** What a node may ask whether the gateway is there; each question is a connection for half a minute. */
const ECHOES = '20/second burst 50 packets';
/** How many connections a node may begin at the gateway's address in the tunnel, where there is a port for it. */
const VISITS = '20/second burst 50 packets';

/**
 * How long a node may answer by UDP after the gateway last sent something to that port of it from that port of its own. The
 * kernel would take answers as long as they come, also for a program that has the port by then, and keep an entry for them.
 */
const ANSWERED_FOR = '3m';
/** For how many of these there is room, in one set for all nodes. */
const QUESTIONS_MAX = 262_144;
/**
 * What of that one node fills: as many as it has UDP visitors (8192 at once, each for a minute at least), and twice that many
 * at once, since a change lets them all begin again.
 */
const QUESTIONS = 'rate over 150/second burst 16384 packets';
/**
 * By such an error a node ends what a visitor has begun, so that the next packet is a new question. For a probe, or a
 * resolver that is off, a few are enough.
 */
const REFUSED = 'icmp type destination-unreachable icmp code port-unreachable ct original protocol udp';
const REFUSALS = 'limit rate over 10/second burst 50 packets';

const MARKED = '    ct state new ct mark set ip saddr map @marks';

/**
 * A connection to the internet, or to the gateway as its visitor, is marked with the number of its node, and what belongs to
 * it is from and for that one alone: it outlives the node by days in the kernel's table, and another one may have the address by then. Half of the
 * bits are fixed, so that no other program's mark is like it.
 */
const MARK = 0x5a_00_00_00;
const MARKED_BITS = 0xff_ff;
const markOf = (id: number): string => `0x${(MARK + (id & MARKED_BITS)).toString(16)}`;

/** Networks may contain each other. */
const NETWORKS = 'ipv4_addr; flags interval; auto-merge';

const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,14}$/;
const ADDRESS = /^\d{1,3}(?:\.\d{1,3}){3}$/;
const NETWORK = /^\d{1,3}(?:\.\d{1,3}){3}\/\d{1,2}$/;

/** The name of the table of an interface; each tunnel has its own, and no other program's is touched. */
export const firewallTable = (interfaceName: string): string =>
  // An identifier of nft has no dash; the dot and the dash become letters that no two names share.
  `sallyport_${interfaceName.replaceAll('_', '__').replaceAll('-', '_d').replaceAll('.', '_p')}`;

/** No name of an interface becomes this one. */
const countsTable = (interfaceName: string): string => `${firewallTable(interfaceName)}_counts`;

/** Takes the tables away, whether or not they are there. */
export const renderFirewallRemoval = (interfaceName: string): string => {
  const name = checked(interfaceName, NAME);
  return [firewallTable(name), countsTable(name)]
    .map((each) => `table inet ${each}\ndelete table inet ${each}\n`)
    .join('');
};

/**
 * Counts the connections of nodes that reach the internet, and knows whom the gateway asked by UDP, in a table of its own
 * that stays over changes: one that is made again would begin at nothing, with all that is open. Its sets are as they are
 * for good; others need another name.
 */
function renderCounts(name: string, gateway: string, nodes: readonly FirewallNode[], visited: number | null): string[] {
  const internet = nodes.flatMap(({ address, allowInternet }) => (allowInternet ? [address] : []));
  const share = (id: number): string => `node_${id}`;
  const shares = nodes.map(({ id, address }) => `${address} : "${share(id)}"`);
  const table = `inet ${countsTable(name)}`;
  const asking = `oifname "${name}" ip saddr ${gateway} meta l4proto udp`;
  const toGateway = `iifname "${name}" ip daddr ${gateway}`;
  const count = `ct state new ip saddr @internet_nodes add @connections { ip saddr ct count over ${CONNECTIONS_MAX} } drop`;
  return [
    `table ${table} {`,
    '  set internet_nodes { type ipv4_addr; }',
    '  set connections { type ipv4_addr; size 65535; flags dynamic; }',
    `  set asked { type ipv4_addr . inet_service . inet_service; size ${QUESTIONS_MAX}; flags dynamic,timeout; timeout ${ANSWERED_FOR}; }`,
    '  map shares { type ipv4_addr : limit; }',
    // Those of nodes that are deleted stay until the tunnel is taken away.
    ...nodes.map(({ id }) => `  limit ${share(id)} { ${QUESTIONS}; }`),
    '  chain new_questions { }',
    // What is dropped here does not renew a connection that the kernel knows.
    '  chain before_tracking { type filter hook prerouting priority raw; policy accept; }',
    '  chain output { type filter hook output priority filter - 1; policy accept; }',
    '  chain input { type filter hook input priority filter - 1; policy accept; }',
    '  chain forward { type filter hook forward priority filter - 1; policy accept; }',
    '}',
    `flush set ${table} internet_nodes`,
    ...(internet.length === 0 ? [] : [`add element ${table} internet_nodes { ${internet.join(', ')} }`]),
    `flush chain ${table} before_tracking`,
    `add rule ${table} before_tracking ${toGateway} ip saddr . udp sport . udp dport != @asked drop`,
    // Of a connection that the gateway began the kernel would take this for the answer, also when the gateway gave it up.
    `add rule ${table} before_tracking ${toGateway} tcp flags & (syn | ack) == syn${visited === null ? '' : ` tcp dport != ${visited}`} drop`,
    // The machine takes no routes from others, but drops the packet without a word only after it renewed a connection.
    `add rule ${table} before_tracking iifname "${name}" ip hdrlength > 5 drop`,
    `flush chain ${table} new_questions`,
    `flush map ${table} shares`,
    ...(shares.length === 0 ? [] : [`add element ${table} shares { ${shares.join(', ')} }`]),
    `add rule ${table} new_questions limit name ip daddr map @shares drop`,
    ...nodes.flatMap(({ id, subnets }) =>
      subnets.map((subnet) => `add rule ${table} new_questions ip daddr ${subnet} limit name "${share(id)}" drop`),
    ),
    `flush chain ${table} output`,
    `add rule ${table} output ${asking} ip daddr . udp dport . udp sport != @asked jump new_questions`,
    `add rule ${table} output ${asking} update @asked { ip daddr . udp dport . udp sport }`,
    `flush chain ${table} input`,
    // What it asks the gateway itself has a bound of its own.
    `add rule ${table} input iifname "${name}" ip daddr != ${gateway} ${count}`,
    `flush chain ${table} forward`,
    `add rule ${table} forward iifname "${name}" ${count}`,
  ];
}

/**
 * Keeps the machine from becoming a router for those around it where it forwards for nodes alone: what comes in at these
 * interfaces and goes anywhere but into the tunnel is dropped, unless it is part of a connection that was let out or that
 * another program (Docker) gave its destination. Follows the text of the packet filter, in the same `nft -f`.
 */
export const renderForwardingGuard = (interfaceName: string, devices: readonly string[]): string =>
  devices.length === 0
    ? ''
    : `add element inet ${firewallTable(checked(interfaceName, NAME))} forwards_for_nodes { ${devices.map((each) => `"${checked(each, NAME)}"`).join(', ')} }\n`;

/**
 * The packet filter, for one atomic `nft -f`. Nodes reach neither each other nor this machine; no one reaches nodes by
 * way of this machine; packets for them leave by the tunnel or not at all. What it accepts other tables may still drop.
 * @throws {UnquotableError} for a value that is none
 */
export function renderFirewall(plan: FirewallPlan): string {
  const tunnel = `"${checked(plan.interface, NAME)}"`;
  const gateway = checked(plan.gateway, ADDRESS);
  const network = checked(plan.network, NETWORK);
  const nodes = plan.nodes.map(({ id, address, subnets, allowInternet }) => ({
    id,
    mark: markOf(id),
    address: checked(address, ADDRESS),
    subnets: subnets.map((subnet) => checked(subnet, NETWORK)),
    allowInternet,
  }));
  const internet = nodes.filter(({ allowInternet }) => allowInternet);
  const gatewayNodes = nodes.flatMap(({ address, subnets }) =>
    subnets.length === 0 ? [] : [{ name: `node_${address.replaceAll('.', '_')}`, networks: [address, ...subnets] }],
  );
  const ports = plan.publicPorts.map((port) => (typeof port === 'number' ? `${port}` : `${port.from}-${port.to}`));
  const set = (name: string, type: string, elements: readonly string[], kind = 'set'): string[] => [
    `  ${kind} ${name} {`,
    `    type ${type}`,
    ...(elements.length === 0 ? [] : [`    elements = { ${elements.join(', ')} }`]),
    '  }',
  ];
  return `${[
    `table inet ${firewallTable(plan.interface)}`,
    `delete table inet ${firewallTable(plan.interface)}`,
    `table inet ${firewallTable(plan.interface)} {`,
    ...set('not_internet', NETWORKS, NOT_INTERNET),
    ...set(
      'internet_nodes',
      'ipv4_addr',
      internet.map(({ address }) => address),
    ),
    ...set(
      'own_connections',
      'ipv4_addr . mark',
      internet.map(({ address, mark }) => `${address} . ${mark}`),
    ),
    ...set(
      'marks',
      'ipv4_addr : mark',
      internet.map(({ address, mark }) => `${address} : ${mark}`),
      'map',
    ),
    ...set(
      'same_node',
      'ipv4_addr . ipv4_addr',
      nodes.map(({ address }) => `${address} . ${address}`),
    ),
    ...gatewayNodes.flatMap(({ name, networks }) => set(name, NETWORKS, networks)),
    ...set(
      'nodes',
      'ipv4_addr',
      nodes.map(({ address }) => address),
    ),
    '  set forwards_for_nodes { type ifname; }',
    // What one node uses up is not missing to another.
    '  set fragments { type ipv4_addr; size 65535; flags dynamic,timeout; timeout 1m; }',
    '  set refusals { type ipv4_addr; size 65535; flags dynamic,timeout; timeout 1m; }',
    `  set echoes { type ipv4_addr; size 65535; flags dynamic,timeout; timeout 1m; }`,
    ...(plan.visitedPort === null
      ? []
      : ['  set visits { type ipv4_addr; size 65535; flags dynamic,timeout; timeout 1m; }']),
    '  chain before_defragmentation {',
    '    type filter hook prerouting priority -450; policy accept;',
    `    iifname != ${tunnel} accept`,
    // As in from_nodes and forward_from_nodes, but before the kernel answers that it has no route, or how large a packet may be,
    // and before it puts a piece together with what another one with this address has sent.
    `    ip daddr != ${gateway} ip saddr != @internet_nodes drop`,
    `    ip daddr != ${gateway} ip daddr @not_internet fib daddr type != local drop`,
    '    ip frag-off & 0x3fff == 0 accept',
    ...gatewayNodes.map(({ name }) => `    ip saddr @${name} ${FRAGMENTS} drop`),
    `    update @fragments { ip saddr ${FRAGMENTS} } drop`,
    '  }',
    '  chain input {',
    '    type filter hook input priority filter; policy accept;',
    // Someone on a network of this machine who pretends to be a node, or knocks at the inside.
    `    iifname != { ${tunnel}, "lo" } ip saddr ${network} drop`,
    `    iifname != { ${tunnel}, "lo" } ip daddr ${gateway} drop`,
    // From its address in the tunnel the gateway asks nodes and what is behind them, and nothing of this machine: an address
    // here may be in a network of theirs, or be led here by another table.
    `    iifname "lo" ip saddr ${gateway} ip daddr != ${gateway} reject with icmp type host-unreachable`,
    `    iifname != { ${tunnel}, "lo" } udp dport { ${[...ports, plan.port].join(', ')} } jump from_visitors`,
    `    iifname ${tunnel} jump from_nodes`,
    '  }',
    // A node that answers by UDP would else talk with this machine (and its tunnel lead into itself), or as this machine with hosts around it: anyone can
    // send a packet in their name. Public addresses may well come by another way than they are answered by.
    '  chain from_visitors {',
    // Each worker of nginx that has a socket for the port would be given what is sent to all.
    '    fib daddr type != local drop',
    '    fib saddr type local drop',
    '    ip saddr @not_internet fib saddr . iif oif missing drop',
    '    ip6 saddr fc00::/7 fib saddr . iif oif missing drop',
    // What programs make of IPv4 addresses, and lists take for those, is in no honest packet.
    '    ip6 saddr ::ffff:0:0/96 drop',
    '  }',
    '  chain from_nodes {',
    '    meta nfproto != ipv4 drop',
    '    ct state invalid drop',
    // A node may send what comes from its subnets, and a host of the same address may be elsewhere as well: what this
    // machine asks that one is asked from another address than the tunnel's, and is not for the node to answer.
    `    ip daddr != ${gateway} ip saddr != @internet_nodes drop`,
    '    ct state related jump errors_from_nodes',
    `    ip daddr != ${gateway} ct state established ip saddr . ct mark != @own_connections drop`,
    '    ct state established accept',
    `    ip saddr @nodes ip daddr ${gateway} icmp type echo-request update @echoes { ip saddr limit rate ${ECHOES} } accept`,
    ...(plan.visitedPort === null
      ? []
      : [
          `    ip saddr @nodes ip daddr ${gateway} tcp dport ${plan.visitedPort} ct state new update @visits { ip saddr limit rate ${VISITS} } accept`,
        ]),
    MARKED,
    ...(ports.length === 0
      ? []
      : [
          `    ip saddr @internet_nodes ip daddr != ${gateway} fib daddr type local meta l4proto { tcp, udp } th dport { ${ports.join(', ')} } accept`,
        ]),
    '    drop',
    '  }',
    '  chain forward {',
    '    type filter hook forward priority filter; policy accept;',
    `    iifname ${tunnel} jump forward_from_nodes`,
    `    oifname ${tunnel} ct state established,related tcp flags syn tcp option maxseg size set rt mtu`,
    `    oifname ${tunnel} ct state established,related ip daddr . ct mark @own_connections accept`,
    `    oifname ${tunnel} drop`,
    `    ip daddr ${network} drop`,
    `    ip saddr ${network} drop`,
    '    iifname @forwards_for_nodes ct status dnat accept',
    '    iifname @forwards_for_nodes ct state established,related accept',
    // Also what belongs to no connection that the kernel knows, of which it has no status. Only IPv4 is forwarded for
    // nodes; whether the machine routes IPv6 was decided by others.
    '    meta nfproto ipv4 iifname @forwards_for_nodes drop',
    '  }',
    '  chain forward_from_nodes {',
    `    oifname ${tunnel} drop`,
    '    meta nfproto != ipv4 drop',
    // It would leave with the node's own address: what belongs to no connection is not translated.
    '    ct state invalid drop',
    `    ip daddr ${network} drop`,
    '    ip daddr @not_internet drop',
    // Others have no ports by which an answer to the node differs from what is meant for this machine.
    '    meta l4proto != { tcp, udp, icmp } drop',
    '    ct state related jump errors_from_nodes',
    MARKED,
    '    ip saddr . ct mark != @own_connections drop',
    '    ip saddr @internet_nodes tcp flags syn tcp option maxseg size set rt mtu',
    '    ip saddr @internet_nodes accept',
    '    drop',
    '  }',
    // The kernel takes an error about a connection from anyone on its way. From the tunnel it comes only from the node at
    // the connection's end.
    '  chain errors_from_nodes {',
    ...gatewayNodes.map(({ name }) => `    ip saddr @${name} ${REFUSED} ${REFUSALS} drop`),
    `    ${REFUSED} update @refusals { ip saddr ${REFUSALS} } drop`,
    '    ip saddr . ct original ip daddr @same_node accept',
    '    ip saddr . ct original ip saddr @same_node accept',
    ...gatewayNodes.map(({ name }) => `    ip saddr @${name} ct original ip daddr @${name} accept`),
    '    drop',
    '  }',
    '  chain output {',
    '    type filter hook output priority filter; policy accept;',
    `    oifname != { ${tunnel}, "lo" } ip daddr ${network} reject with icmp type host-unreachable`,
    `    oifname != { ${tunnel}, "lo" } ip saddr ${gateway} reject with icmp type host-unreachable`,
    `    oifname ${tunnel} ip saddr != ${gateway} ip daddr . ct mark != @own_connections drop`,
    '  }',
    '  chain postrouting {',
    '    type nat hook postrouting priority srcnat; policy accept;',
    `    oifname != ${tunnel} ip saddr @internet_nodes meta l4proto { tcp, udp } masquerade to :${outgoingPorts(plan)} fully-random`,
    `    oifname != ${tunnel} ip saddr @internet_nodes masquerade`,
    '  }',
    '}',
    ...renderCounts(plan.interface, gateway, nodes, plan.visitedPort),
  ].join('\n')}\n`;
}

function outgoingPorts({ publicPorts, port }: FirewallPlan): string {
  const own = [...publicPorts, port].map((each) => (typeof each === 'number' ? { from: each, to: each } : each));
  const isFree = (range: { from: number; to: number }): boolean =>
    own.every(({ from, to }) => to < range.from || from > range.to);
  const { from, to } = OUTGOING_PORTS.find(isFree) ?? { from: 61_000, to: 65_535 };
  return `${from}-${to}`;
}

function checked(text: string, form: RegExp): string {
  if (!form.test(text)) throw new UnquotableError(`${JSON.stringify(text)} cannot stand in a packet filter.`);
  return text;
}
