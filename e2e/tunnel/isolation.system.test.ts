import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firewallTable } from '../../packages/gateway/src/tunnel/render/nftables.ts';
import { type Namespace, namespacesProblem } from '../support/namespaces.ts';
import { eventually, GATEWAY, openTunnelScene, PORTS, startScript, type TunnelScene } from '../support/tunnelScene.ts';

const problem = await namespacesProblem();
if (problem !== null) process.stdout.write(`What nodes send each other is not tried: ${problem}.\n`);

const INSIDE = '10.88.0.1';
const LAN_HOST = '198.19.2.2';
const BEYOND = '192.0.2.2';
const GATEWAY_BEYOND = '192.0.2.1';
/** From which the gateway's machine asks a node. */
const ASKING_PORT = 5353;
const LATER_PORT = 5354;
const UDP = 17;

const ECHO = Buffer.from([8, 0, 0, 0, 0, 1, 0, 1]);
/** "Port unreachable" about a packet of this connection. */
function unreachable(from: [string, number], to: [string, number]): Buffer {
  const bytesOf = ([address, port]: [string, number]) => ({
    address: address.split('.').map(Number),
    port: [port >> 8, port & 255],
  });
  const [source, target] = [bytesOf(from), bytesOf(to)];
  const quoted = [0x45, 0, 0, 32, 0, 0, 0, 0, 64, UDP, 0, 0, ...source.address, ...target.address];
  return Buffer.from([3, 3, 0, 0, 0, 0, 0, 0, ...quoted, ...source.port, ...target.port, 0, 12, 0, 0, 1, 2, 3, 4]);
}

function withChecksum(message: Buffer): Buffer {
  let sum = 0;
  for (let at = 0; at < message.length; at += 2) sum += message.readUInt16BE(at);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  const done = Buffer.from(message);
  done.writeUInt16BE(~sum & 0xffff, 2);
  return done;
}

/** Node has no raw sockets. */
const perl = (from: Namespace, script: string, ...args: string[]): Promise<string> =>
  from.exec('perl', '-MSocket', '-e', script, ...args);
const SEND =
  'socket(S, AF_INET, SOCK_RAW, 1) && send(S, pack("H*", $ARGV[1]), 0, sockaddr_in(0, inet_aton($ARGV[0]))) or die $!;';
/** Sends ICMP as it is. */
const sendIcmp = (from: Namespace, to: string, message: Buffer): Promise<string> =>
  perl(from, SEND, to, withChecksum(message).toString('hex'));
/** Sends a hundred times as many echoes as a node may, each of them a conversation of its own, and fewer than the tunnel carries. */
const FLOOD = `
  socket(S, AF_INET, SOCK_RAW, 1) or die $!;
  my $to = sockaddr_in(0, inet_aton($ARGV[0]));
  for my $id (2..60000) {
    my $sum = 0x0800 + $id + 1;
    send(S, pack("nnnn", 0x0800, ~(($sum & 0xffff) + ($sum >> 16)) & 0xffff, $id, 1), 0, $to);
    select(undef, undef, undef, 0.01) if $id % 20 == 0;
  }`;
/** Begins 6000 connections, no faster than the tunnel carries their packets. */
const MANY = `
  for my $sent (1..6000) {
    socket(S, AF_INET, SOCK_DGRAM, 0) && send(S, "x", 0, sockaddr_in(9, inet_aton($ARGV[0]))) or die $!;
    select(undef, undef, undef, 0.01) if $sent % 50 == 0;
  }`;
/** Sends first pieces of packets whose other pieces never come: more than the kernel keeps of all, no faster than the tunnel carries them. */
const PIECES = `
  socket(S, AF_INET, SOCK_RAW, 255) && setsockopt(S, 0, 3, pack("l", 1)) or die $!;
  for my $id (1..4000) {
    my $head = pack("CCnnnCCna4a4", 0x45, 0, 1220, $id, 0x2000, 64, 17, 0, inet_aton($ARGV[0]), inet_aton($ARGV[1]));
    send(S, $head . ("x" x 1200), 0, sockaddr_in(0, inet_aton($ARGV[1])));
    select(undef, undef, undef, 0.01) if $id % 20 == 0;
  }`;
/** Whether it is answered. */
const ASK = `${SEND}
  my $ready = ""; vec($ready, fileno(S), 1) = 1;
  print select($ready, undef, undef, 10) ? "answered" : "silent";`;
const SEND_PROTOCOL =
  'socket(S, AF_INET, SOCK_RAW, $ARGV[1]) && send(S, "\\0" x 24, 0, sockaddr_in(0, inet_aton($ARGV[0]))) or die $!';
/** As a hundred visitors. */
const VISIT = `
  my @visitors;
  for (1..100) {
    my $visitor;
    socket($visitor, AF_INET, SOCK_DGRAM, 0) && send($visitor, "x", 0, sockaddr_in($ARGV[1], inet_aton($ARGV[0]))) or die $!;
    push @visitors, $visitor;
    select(undef, undef, undef, 0.01);
  }`;
/** From the number of a port. */
const KNOCK =
  'socket(S, AF_INET, SOCK_DGRAM, 0) && bind(S, sockaddr_in($ARGV[1], inet_aton($ARGV[0]))) && send(S, "knock", 0, sockaddr_in(5555, inet_aton($ARGV[2]))) or die $!';
/** Begins a connection, and does not wait for it. */
const OPEN = `
  my ($from, $port, $to, $toPort) = @ARGV;
  socket(S, AF_INET, SOCK_STREAM | 2048, 0) && bind(S, sockaddr_in($port, inet_aton($from))) or die $!;
  connect(S, sockaddr_in($toPort, inet_aton($to)));`;
/** With options of IP that mean nothing. */
const SEND_WITH_OPTIONS = `socket(S, AF_INET, SOCK_RAW, 1) && setsockopt(S, 0, 4, pack("H*", "01010101"))
  && send(S, pack("H*", $ARGV[1]), 0, sockaddr_in(0, inet_aton($ARGV[0]))) or die $!;`;
/** Sends a word by UDP as if it came from elsewhere. */
const FORGE = `
  my ($from, $port, $to, $toPort, $word) = @ARGV;
  my $isV6 = $to =~ /:/;
  my $family = $isV6 ? AF_INET6 : AF_INET;
  my ($source, $target) = map { Socket::inet_pton($family, $_) } $from, $to;
  my $length = 8 + length $word;
  my $summed = $source . $target . pack("NNnnnn", $length, 17, $port, $toPort, $length, 0) . $word . pack("x" . $length % 2);
  my $sum = unpack("%32n*", $summed);
  $sum = ($sum & 0xffff) + ($sum >> 16) while $sum > 0xffff;
  my $head = $isV6
    ? pack("NnCCa16a16", 6 << 28, $length, 17, 64, $source, $target)
    : pack("CCnnnCCna4a4", 0x45, 0, 20 + $length, 7, 0, 64, 17, 0, $source, $target);
  my $place = $isV6 ? Socket::pack_sockaddr_in6(0, $target) : sockaddr_in(0, $target);
  socket(S, $family, SOCK_RAW, 255) && send(S, $head . pack("nnnn", $port, $toPort, $length, ~$sum & 0xffff) . $word, 0, $place) or die $!;`;
const SEND_V6 =
  'socket(S, AF_INET6, SOCK_RAW, 58) && send(S, pack("H*", "8000000000010001"), 0, Socket::pack_sockaddr_in6(0, Socket::inet_pton(AF_INET6, $ARGV[0]))) or die $!';
const SOCKET = "const socket = require('node:dgram').createSocket('udp4');";

describe.skipIf(problem !== null)('on a gateway that forwards packets', () => {
  let scene: TunnelScene;
  /** Two ordinary nodes, one that sends all its traffic through the tunnel, and a gateway node. */
  const nodes = new Map<string, { host: Namespace; id: number; address: string; device: string }>();
  /** A machine of the internet. */
  let beyond: Namespace;
  const nodeOf = (name: string) => {
    const node = nodes.get(name);
    if (node === undefined) throw new Error(`There is no node ${name}.`);
    return node;
  };
  const join = async (name: string, outside: string, body: object = {}): Promise<Namespace> => {
    const { status, body: made } = await scene.api('POST /api/nodes', { name, ...body });
    expect(status).toBeLessThan(300);
    const host = await scene.host(name, outside);
    if (name === 'site') await scene.serve(await scene.behind(host, 'lan', '198.19.2'), LAN_HOST, 'lan');
    const id = Number(made['id']);
    const { interface: device } = await scene.join(host, id);
    nodes.set(name, { host, id, address: String(made['address']), device });
    return host;
  };

  /** What came out of the tunnel, and what of it left this machine again or was answered. */
  const counts = async (): Promise<{ came: number; left: number }> => {
    const text = await scene.home.exec('nft', 'list', 'table', 'inet', 'seen');
    const of = (chain: string): number =>
      Number(new RegExp(String.raw`chain ${chain} [^]*?packets (\d+)`).exec(text)?.[1]);
    return { came: of('came'), left: of('forwarded') + of('answered') };
  };
  /** How many of these left the machine once all have come. */
  const leftOf = async (sends: readonly (() => Promise<unknown>)[]): Promise<number> => {
    const before = await counts();
    for (const send of sends) await send();
    const after = await eventually(counts, ({ came }) => came === before.came + sends.length);
    return after.left - before.left;
  };

  beforeAll(async () => {
    scene = await openTunnelScene({
      prepare: (home) => home.exec('sysctl', '-qw', 'net.ipv4.ip_forward=1', 'net.ipv6.conf.all.forwarding=1'),
    });
    await join('one', '198.18.0.20');
    await join('two', '198.18.0.21');
    await join('all', '198.18.0.22', { allowInternet: true });
    await join('more', '198.18.0.23', { allowInternet: true });
    await join('site', '198.18.0.30', {
      isGateway: true,
      gatewayNetworks: ['198.19.2.0/25', '198.19.2.128/25'].map((subnet) => ({ interface: 'eth1', subnet })),
    });
    beyond = await scene.behind(scene.home, 'beyond', '192.0.2');
    await scene.serve(nodeOf('two').host, nodeOf('two').address, 'two');
    const from = `iifname "${scene.tunnel}" @th,0,8 { 3, 8, 128 } meta l4proto { icmp, ipv6-icmp } counter`;
    const answers = `oifname "${scene.tunnel}" icmpv6 type echo-reply counter`;
    await scene.home.exec(
      'nft',
      `table inet seen {
        chain came { type filter hook prerouting priority -500; ${from}; }
        chain forwarded { type filter hook postrouting priority 300; ${from}; }
        chain answered { type filter hook output priority 300; ${answers}; }
      }`,
    );
  }, 300_000);
  afterAll(() => scene?.close(), 60_000);

  it('a node reaches neither another node nor its network by ICMP', async () => {
    const [one, two, all] = [nodeOf('one'), nodeOf('two'), nodeOf('all')];
    const targets = [two.address, nodeOf('site').address, LAN_HOST];
    const about = unreachable([two.address, PORTS.udp], [INSIDE, ASKING_PORT]);
    await one.host.exec('ip', 'route', 'replace', '198.19.2.0/24', 'dev', one.device);
    const peer = (await one.host.exec('wg', 'show', one.device, 'peers')).trim();
    await one.host.exec('wg', 'set', one.device, 'peer', peer, 'allowed-ips', '10.88.0.0/16,198.19.2.0/24');
    const sends = [one, all].flatMap(({ host }) =>
      targets.flatMap((target) => [ECHO, about].map((message) => () => sendIcmp(host, target, message))),
    );
    expect(await leftOf(sends)).toBe(0);
  });

  it('a node that reaches the internet sends it nothing that belongs to no connection of its own', async () => {
    const { host, address } = nodeOf('all');
    const unknown = unreachable([BEYOND, 53], [address, 1234]);
    expect(await leftOf([() => sendIcmp(host, BEYOND, unknown)])).toBe(0);
    expect(await leftOf([() => sendIcmp(host, BEYOND, ECHO)])).toBe(1);
  });

  it('a node learns nothing of the networks around this machine', async () => {
    const [one, all] = [nodeOf('one'), nodeOf('all')];
    const none = '10.77.0.7';
    await scene.home.exec('ip', 'route', 'add', 'unreachable', '10.77.0.0/16');
    const rule = `oifname "${scene.tunnel}" icmp type { destination-unreachable, redirect, time-exceeded } counter`;
    await scene.home.exec(
      'nft',
      `table inet told {
        chain of { type filter hook output priority 300; ${rule}; }
      }`,
    );
    const peer = (await one.host.exec('wg', 'show', one.device, 'peers')).trim();
    await one.host.exec('wg', 'set', one.device, 'peer', peer, 'allowed-ips', '10.0.0.0/8');
    await one.host.exec('ip', 'route', 'replace', '10.77.0.0/16', 'dev', one.device);
    const targets = [
      [one.host, none],
      [one.host, nodeOf('two').address],
      [all.host, none],
      [all.host, nodeOf('two').address],
    ] as const;
    expect(
      await leftOf(
        targets.map(
          ([host, target]) =>
            () =>
              sendIcmp(host, target, ECHO),
        ),
      ),
    ).toBe(0);
    expect(await scene.home.exec('nft', 'list', 'table', 'inet', 'told')).toContain('counter packets 0 ');
    await scene.home.exec('ip', 'route', 'del', 'unreachable', '10.77.0.0/16');
  });

  it('a node that reaches the internet takes no tunnel of this machine', async () => {
    const protocols = { gre: 47, esp: 50, sctp: 132 };
    const counter = `meta l4proto { ${Object.values(protocols).join(', ')} } counter`;
    await scene.home.exec(
      'nft',
      `table inet tunnels {
        chain came { type filter hook prerouting priority -300; iifname "${scene.tunnel}" ${counter}; }
        chain left { type filter hook postrouting priority 300; ${counter}; }
      }`,
    );
    for (const protocol of Object.values(protocols)) {
      await perl(nodeOf('all').host, SEND_PROTOCOL, BEYOND, String(protocol));
    }
    const seen = await eventually(
      () => scene.home.exec('nft', 'list', 'table', 'inet', 'tunnels'),
      (text) => text.includes('counter packets 3 '),
    );
    expect(seen.slice(seen.indexOf('chain left'))).toContain('counter packets 0 ');
  });

  it('nodes that reach the internet, and visitors, reach ports of this machine by its own addresses alone', async () => {
    const { host, address } = nodeOf('all');
    const port = String(scene.gateway.ports.https);
    const arrived = (to: string) => `udp dport ${port} ip daddr ${to} counter`;
    await scene.home.exec(
      'nft',
      `table inet arrived {
        chain came {
          type filter hook input priority 300
          ${arrived(GATEWAY_BEYOND)}
          ${arrived('224.0.0.1')}
        }
      }`,
    );
    // Each worker of nginx that has a socket for the port would be given it.
    for (const to of ['224.0.0.1', GATEWAY_BEYOND]) {
      await perl(host, FORGE, address, '5555', to, port, 'x');
      await perl(beyond, FORGE, BEYOND, '5555', to, port, 'x');
    }
    const seen = await eventually(
      () => scene.home.exec('nft', 'list', 'table', 'inet', 'arrived'),
      (text) => text.includes(`${GATEWAY_BEYOND} counter packets 2 `),
    );
    expect(seen).toContain('224.0.0.1 counter packets 0 ');
  });

  it('a node ends no connection of another node by an error, only its own', async () => {
    const [one, two] = [nodeOf('one'), nodeOf('two')];
    const asking = startScript(
      scene.home,
      `${SOCKET}
       process.stdin.on('data', (word) => socket.send(word));
       socket.on('message', (answer) => process.stdout.write(answer + '\\n'));
       socket.on('error', ({ code }) => process.stdout.write(code + '\\n'));
       socket.bind(${ASKING_PORT}, '${INSIDE}', () => socket.connect(${PORTS.udp}, '${two.address}'));`,
    );
    asking.say('first');
    await asking.hear('two udp first\n');
    const error = unreachable([INSIDE, ASKING_PORT], [two.address, PORTS.udp]);
    await leftOf([() => sendIcmp(one.host, INSIDE, error)]);
    asking.say('second');
    await asking.hear('two udp second\n');
    await sendIcmp(two.host, INSIDE, error);
    await asking.hear('ECONNREFUSED\n');
    expect(asking.said().split('\n')).toEqual(['two udp first', 'two udp second', 'ECONNREFUSED', '']);
  });

  it('is told of errors by hosts of a gateway node about connections to its network', async () => {
    const asking = startScript(
      scene.home,
      `${SOCKET}
       socket.on('error', ({ code }) => process.stdout.write(code + '\\n'));
       socket.bind(0, '${INSIDE}', () => socket.connect(7, '${LAN_HOST}', () => socket.send('x')));`,
    );
    expect(await asking.hear('ECONNREFUSED\n')).toBe('ECONNREFUSED\n');
  });

  it('what one node asks for does not keep the gateway from answering another', async () => {
    const [one, two] = [nodeOf('one'), nodeOf('two')];
    const flood = one.host.spawn('perl', '-MSocket', '-e', FLOOD, INSIDE);
    const ended = once(flood, 'close');
    const { came } = await counts();
    await eventually(counts, (now) => now.came > came + 1000);
    const said = await perl(two.host, ASK, INSIDE, withChecksum(ECHO).toString('hex'));
    flood.kill('SIGKILL');
    await ended;
    expect(said).toBe('answered');
  });

  it('a node has so many connections with the internet, and no more', async () => {
    const [all, other] = [nodeOf('all'), nodeOf('more')];
    const connections = async (): Promise<number> =>
      Number(await scene.home.exec('cat', '/proc/sys/net/netfilter/nf_conntrack_count'));
    // Longer than the test takes, so that none ends meanwhile.
    await scene.home.exec('sysctl', '-qw', 'net.netfilter.nf_conntrack_udp_timeout=600');
    const before = await connections();
    await perl(all.host, MANY, BEYOND);
    await eventually(connections, (now) => now > before + 1900);
    expect(await leftOf([() => sendIcmp(other.host, BEYOND, ECHO)])).toBe(1);
    const another = Buffer.from([8, 0, 0, 0, 0, 2, 0, 1]);
    expect(await leftOf([() => sendIcmp(all.host, BEYOND, another)])).toBe(0);
    // What was sent before the last one has come by now.
    expect(await connections()).toBeLessThan(before + 2200);
    // A change of what the packet filter says does not begin the count again.
    const { body: later } = await scene.api('POST /api/nodes', { name: 'later' });
    await eventually(
      () => scene.home.exec('nft', 'list', 'ruleset'),
      (rules) => rules.includes(`${String(later['address'])} . `),
    );
    const third = Buffer.from([8, 0, 0, 0, 0, 3, 0, 1]);
    expect(await leftOf([() => sendIcmp(all.host, BEYOND, third)])).toBe(0);
  });

  it('a node that reaches the internet takes no visitor of another', async () => {
    const [more, two] = [nodeOf('more'), nodeOf('two')];
    const service = { name: 'Udp', proto: 'udp', backendPort: PORTS.udp };
    const { body } = await scene.api(`POST /api/services/${two.id}/tcp`, service);
    const port = Number(body['port']);
    const visitor = startScript(
      beyond,
      `${SOCKET}
       process.stdin.on('data', () => socket.send('hello', ${port}, '${GATEWAY_BEYOND}'));
       socket.on('message', (text) => process.stdout.write(text + '\\n'));
       socket.bind(5555, '${BEYOND}', () => process.stdout.write('ready\\n'));`,
    );
    await visitor.hear('ready\n');
    // From the number of the other node's public port: what the visitor sends there next is no answer to this.
    await perl(more.host, KNOCK, more.address, String(port), BEYOND);
    await visitor.hear('knock\n');
    visitor.say('go');
    await visitor.hear('two udp hello\n');
    expect(visitor.said()).toBe('ready\nknock\ntwo udp hello\n');
  });

  it.each([
    { family: 4, public: GATEWAY, inner: '10.77.0.2', gatewayInside: '10.77.0.1', bits: 24 },
    { family: 6, public: '2001:db8:18::1', inner: 'fd00:77::2', gatewayInside: 'fd00:77::1', bits: 64 },
  ])('a node talks by UDP with no host around the gateway in whose name others write: IPv$family', async (at) => {
    for (const which of ['all', 'eth0']) await scene.home.exec('sysctl', '-qw', `net.ipv4.conf.${which}.rp_filter=0`);
    const give = (to: Namespace, address: string, device: string): Promise<string> =>
      to.exec(
        'ip',
        'address',
        'replace',
        `${address}/${at.bits}`,
        'dev',
        device,
        ...(at.family === 6 ? ['nodad'] : []),
      );
    await give(scene.home, at.public, 'eth0');
    if (at.family === 6) await give(scene.outside, '2001:db8:18::9', 'eth0');
    await give(scene.home, at.gatewayInside, 'eth1');
    await give(beyond, at.inner, 'eth0');
    const two = nodeOf('two');
    const service = { name: `Talk ${at.family}`, proto: 'udp', backendPort: PORTS.udp };
    const { body } = await scene.api(`POST /api/services/${two.id}/tcp`, service);
    const port = Number(body['port']);
    const program = startScript(
      beyond,
      `const socket = require('node:dgram').createSocket('udp${at.family}');
       process.stdin.on('data', () => socket.send('asked', ${port}, '${at.gatewayInside}'));
       socket.on('message', (text) => process.stdout.write(text + '\\n'));
       socket.bind(161, '${at.inner}', () => process.stdout.write('ready\\n'));`,
    );
    await program.hear('ready\n');
    const table = `forged_${at.family}`;
    const from = `iifname "eth0" ${at.family === 6 ? 'ip6' : 'ip'} saddr ${at.inner} counter`;
    await scene.home.exec(
      'nft',
      `table inet ${table} { chain came { type filter hook prerouting priority -300; ${from}; }; }`,
    );
    await perl(scene.outside, FORGE, at.inner, '161', at.public, String(port), 'forged');
    await eventually(
      () => scene.home.exec('nft', 'list', 'table', 'inet', table),
      (text) => text.includes('counter packets 1 '),
    );
    program.say('go');
    await program.hear('two udp asked\n');
    expect(program.said()).toBe('ready\ntwo udp asked\n');
    if (at.family === 4) return;

    // This machine's own address: of IPv6 the kernel takes it from elsewhere.
    const own = startScript(
      scene.home,
      `const socket = require('node:dgram').createSocket('udp6');
       process.stdin.on('data', () => socket.send('asked', ${port}, '${at.public}'));
       socket.on('message', (text) => process.stdout.write(text + '\\n'));
       socket.bind(162, '${at.public}', () => process.stdout.write('ready\\n'));`,
    );
    await own.hear('ready\n');
    const came = `chain own { type filter hook prerouting priority -300; iifname "eth0" ip6 saddr ${at.public} counter; }`;
    await scene.home.exec('nft', `table inet ${table} { ${came}; }`);
    await perl(scene.outside, FORGE, at.public, '162', at.public, String(port), 'forged');
    await eventually(
      () => scene.home.exec('nft', 'list', 'chain', 'inet', table, 'own'),
      (text) => text.includes('counter packets 1 '),
    );
    own.say('go');
    await own.hear('two udp asked\n');
    expect(own.said()).toBe('ready\ntwo udp asked\n');

    // An IPv4 address as programs write it in IPv6 is in no honest packet, and lists would take it for that address.
    const mapped = '::ffff:10.99.0.5';
    const hooks = { arrived: 'prerouting priority -300', heard: 'input priority 300' };
    const chains = Object.entries(hooks).map(
      ([name, hook]) => `chain ${name} { type filter hook ${hook}; ip6 saddr ${mapped} counter; }`,
    );
    await scene.home.exec('nft', `table inet ${table} { ${chains.join('; ')}; }`);
    await perl(scene.outside, FORGE, mapped, '163', at.public, String(port), 'forged');
    const counted = (chain: string): Promise<string> => scene.home.exec('nft', 'list', 'chain', 'inet', table, chain);
    await eventually(
      () => counted('arrived'),
      (text) => text.includes('counter packets 1 '),
    );
    expect(await counted('heard')).toContain('counter packets 0 ');
  });

  // Each has one of the 28,000 ports that the machine asks others from, name servers too.
  it('visitors of a node by UDP take no port of the machine after a change', async () => {
    const two = nodeOf('two');
    const silent = startScript(two.host, `${SOCKET} socket.bind(7777, () => process.stdout.write('ready'));`);
    await silent.hear('ready');
    const service = { name: 'Asked', proto: 'udp', backendPort: 7777 };
    const { status, body } = await scene.api(`POST /api/services/${two.id}/tcp`, service);
    expect(status).toBeLessThan(300);
    const open = async (): Promise<number> =>
      (await scene.home.exec('ss', '-Hun', 'state', 'connected', 'dport', '7777')).split('\n').filter(Boolean).length;
    await perl(scene.outside, VISIT, GATEWAY, String(body['port']));
    await eventually(open, (now) => now === 100);
    const another = { name: 'Another', pathLocation: '/another', backendPort: PORTS.http };
    expect((await scene.api(`POST /api/services/${two.id}/http`, another)).status).toBeLessThan(300);
    await eventually(open, (now) => now === 0);
  });

  it('a node answers by UDP what the gateway asked of late, and keeps no port of it open by that', async () => {
    const two = nodeOf('two');
    const table = `inet ${firewallTable(scene.tunnel)}_counts`;
    const asked = (): Promise<string> => scene.home.exec('nft', 'list', 'set', ...table.split(' '), 'asked');
    const asking = startScript(
      scene.home,
      `${SOCKET}
       process.stdin.on('data', () => socket.send('question', ${PORTS.udp}, '${two.address}'));
       socket.on('message', (answer) => process.stdout.write(answer + '\\n'));
       socket.bind(${LATER_PORT}, () => process.stdout.write('ready\\n'));`,
    );
    await asking.hear('ready\n');
    const flow = `${two.address} . ${PORTS.udp} . ${LATER_PORT}`;
    const send = (word: string): Promise<unknown> =>
      perl(two.host, FORGE, two.address, String(PORTS.udp), INSIDE, String(LATER_PORT), word);
    asking.say('go');
    await asking.hear('two udp question\n');
    await send('more');
    await asking.hear('more\n');
    expect(await asked()).toMatch(new RegExp(`${flow.replaceAll('.', String.raw`\.`)} expires 2m`));
    // As after these three minutes.
    await scene.home.exec('nft', 'delete', 'element', ...table.split(' '), 'asked', `{ ${flow} }`);
    await send('late');
    // What comes after it says that it has come.
    await leftOf([() => sendIcmp(two.host, INSIDE, ECHO)]);
    asking.say('go');
    await asking.hear('two udp question\n');
    expect(asking.said()).toBe('ready\ntwo udp question\nmore\ntwo udp question\n');
  });

  it('a node opens no connection from where the gateway asked it in vain, and prolongs none', async () => {
    const two = nodeOf('two');
    const [own, asked] = [5355, 8095];
    // So that the gateway hears nothing.
    await two.host.exec(
      'nft',
      `table inet silent { chain came { type filter hook input priority 0; tcp dport ${asked} drop; }; }`,
    );
    await scene.home.exec(
      process.execPath,
      '-e',
      `const socket = require('node:net').connect({ host: '${two.address}', port: ${asked}, localAddress: '${INSIDE}', localPort: ${own} });
       socket.on('error', () => undefined);
       socket.on('connectionAttempt', () => setImmediate(() => socket.destroy()));`,
    );
    await scene.home.exec(
      'nft',
      `table inet opened {
        chain came { type filter hook input priority 300; iifname "${scene.tunnel}" tcp dport ${own} counter; }
        chain routed { type filter hook prerouting priority -250; iifname "${scene.tunnel}" ip hdrlength > 5 counter; }
      }`,
    );
    await perl(two.host, OPEN, two.address, String(asked), INSIDE, String(own));
    await perl(two.host, SEND_WITH_OPTIONS, INSIDE, withChecksum(ECHO).toString('hex'));
    // What comes after them says that they have come.
    await leftOf([() => sendIcmp(two.host, INSIDE, ECHO)]);
    const seen = await scene.home.exec('nft', 'list', 'table', 'inet', 'opened');
    expect(seen.match(/counter packets \d+/g)).toEqual(['counter packets 0', 'counter packets 0']);
  });

  it('unfinished packets of one node do not keep the large ones of another away', async () => {
    const [one, two] = [nodeOf('one'), nodeOf('two')];
    await perl(one.host, PIECES, one.address, INSIDE);
    // What comes after them says that they have come.
    await leftOf([() => sendIcmp(one.host, INSIDE, ECHO)]);
    const text = 'x'.repeat(3000);
    const answer = await scene.home.exec(
      process.execPath,
      '-e',
      `${SOCKET}
       socket.on('message', (answer) => { process.stdout.write(answer); socket.close(); });
       socket.bind(0, '${INSIDE}', () => socket.send('${text}', ${PORTS.udp}, '${two.address}'));
       setTimeout(() => process.exit(1), 15_000).unref();`,
    );
    expect(answer).toBe(`two udp ${text}`);
  });

  it('IPv6 from a node is answered and handed on to no one', async () => {
    const addresses = { one: 'fd00:88::2', two: 'fd00:88::3', gateway: 'fd00:88::1' };
    await scene.home.exec('ip', 'address', 'add', `${addresses.gateway}/64`, 'dev', scene.tunnel, 'nodad');
    for (const name of ['one', 'two'] as const) {
      const { host, device, address } = nodeOf(name);
      await host.exec('ip', 'address', 'add', `${addresses[name]}/64`, 'dev', device, 'nodad');
      const key = async (show: 'peers' | 'public-key') => (await host.exec('wg', 'show', device, show)).trim();
      await host.exec('wg', 'set', device, 'peer', await key('peers'), 'allowed-ips', '10.88.0.0/16,fd00:88::/64');
      const allowed = `${address}/32,${addresses[name]}/128`;
      await scene.home.exec('wg', 'set', scene.tunnel, 'peer', await key('public-key'), 'allowed-ips', allowed);
    }
    const { host } = nodeOf('one');
    expect(await leftOf([addresses.two, addresses.gateway].map((target) => () => perl(host, SEND_V6, target)))).toBe(0);
  });
});
