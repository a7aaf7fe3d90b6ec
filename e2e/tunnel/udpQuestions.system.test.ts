import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Namespace, namespacesProblem } from '../support/namespaces.ts';
import { openTunnelScene, type TunnelScene } from '../support/tunnelScene.ts';

// What the gateway asked by UDP is remembered in one set for all nodes, and what is not in there is not answered.

const problem = await namespacesProblem();
if (problem !== null) process.stdout.write(`What nodes are asked by UDP is not tried: ${problem}.\n`);

const INSIDE = '10.88.0.1';
/** More than one node may have at once. */
const FLOOD = 20_000;
/** Asks that many ports of each address, from one port; prints how many questions left the machine. */
const ASK_PORTS = `
  my ($from, $count, @targets) = @ARGV;
  socket(S, AF_INET, SOCK_DGRAM, 0) && bind(S, sockaddr_in(0, inet_aton($from))) or die $!;
  my $left = 0;
  for my $to (@targets) { $left += defined send(S, "x", 0, sockaddr_in(1024 + $_, inet_aton($to))) for 1..$count; }
  print $left;`;
/** Asks one port from many, as visitors do; prints how many were told that nothing listens there. */
const ASK_AS_VISITORS = `
  my ($from, $count, $to) = @ARGV;
  my $refused = 0;
  for (1..$count) {
    my $visitor;
    socket($visitor, AF_INET, SOCK_DGRAM, 0) && bind($visitor, sockaddr_in(0, inet_aton($from))) && connect($visitor, sockaddr_in(9, inet_aton($to))) or die $!;
    send($visitor, "x", 0);
    my $ready = ""; vec($ready, fileno($visitor), 1) = 1;
    $refused += 1 if select($ready, undef, undef, $_ <= 20 ? 5 : 0.01);
  }
  print $refused;`;

describe.skipIf(problem !== null)('what the gateway asks nodes by UDP', () => {
  let scene: TunnelScene;
  const addresses: string[] = [];

  const join = async (name: string, outside: string, body: object = {}): Promise<Namespace> => {
    const { body: made } = await scene.api('POST /api/nodes', { name, ...body });
    const host = await scene.host(name, outside);
    await scene.join(host, Number(made['id']));
    addresses.push(String(made['address']));
    return host;
  };
  const perl = (script: string, ...args: string[]) => scene.home.exec('perl', '-MSocket', '-e', script, ...args);

  beforeAll(async () => {
    scene = await openTunnelScene();
    await join('one', '198.18.0.20');
    const two = await join('two', '198.18.0.21');
    // Linux itself says little of it.
    await two.exec('sysctl', '-qw', 'net.ipv4.icmp_ratelimit=0');
    const networks = [{ interface: 'eth1', subnet: '198.19.2.0/24' }];
    await join('site', '198.18.0.30', { isGateway: true, gatewayNetworks: networks });
  }, 300_000);
  afterAll(() => scene?.close(), 60_000);

  it('has room for each node, however much another is asked', async () => {
    const [one = '', two = '', site = ''] = addresses;
    const left = Number(await perl(ASK_PORTS, INSIDE, String(FLOOD), one));
    expect(left).toBeLessThan(FLOOD);
    expect(left).toBeGreaterThan(16_000);
    expect(await perl(ASK_PORTS, INSIDE, '100', two)).toBe('100');
    // A gateway node and all that is behind it are one.
    const behind = ['198.19.2.2', '198.19.2.3', site];
    expect(Number(await perl(ASK_PORTS, INSIDE, String(FLOOD / 2), ...behind))).toBeLessThan(FLOOD);
    expect(await perl(ASK_PORTS, INSIDE, '100', two)).toBe('100');
    // A change does not give it what it has used up.
    await scene.api('POST /api/nodes', { name: 'three' });
    expect(Number(await perl(ASK_PORTS, INSIDE, String(FLOOD), one))).toBeLessThan(FLOOD / 2);
  });

  it('is told that nothing listens there, but not so often that visitors always begin again', async () => {
    const refused = Number(await perl(ASK_AS_VISITORS, INSIDE, '400', addresses[1] ?? ''));
    expect(refused).toBeGreaterThanOrEqual(20);
    expect(refused).toBeLessThan(380);
  });
});
