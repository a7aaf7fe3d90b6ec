import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Namespace, namespacesProblem } from '../support/namespaces.ts';
import {
  eventually,
  GATEWAY,
  type Json,
  openTunnelScene,
  PORTS,
  startScript,
  type TunnelScene,
} from '../support/tunnelScene.ts';

const problem = await namespacesProblem();
if (problem !== null) process.stdout.write(`The networks of nodes are not tried: ${problem}.\n`);

/** The router of the gateway's machine, behind which the office is. */
const ROUTER = '198.18.0.254';
/** A host of the office, and a host behind the node that gives the same network. */
const SHARED = '172.20.0.2';
const SUBNET = '172.20.0.0/16';
const ONLY_BEHIND_SITE = '172.20.0.9';
/** Also in the network: an address of the gateway's machine, and one that it leads to itself. */
const OWN = '172.20.0.77';
const LED = '172.20.0.78';
/** More than the gateway lets pass between two questions to a backend. */
const HEALTH_MS = 40_000;
/** From which a program of the gateway's machine asks the office. */
const ASKING_PORT = 5353;
/** From which a visitor sends in pieces. */
const PIECES_PORT = 40_000;
/** Sends one of the two pieces of a packet of UDP, by a device if one is named. Node has no raw sockets. */
const PIECE = `my ($from, $to, $port, $letter, $is_last, $device) = @ARGV;
  socket(S, AF_INET, SOCK_RAW, 255);
  setsockopt(S, SOL_SOCKET, 25, "$device\\0") if $device;
  my $data = $is_last ? $letter x 8 : pack('nnnn', ${PIECES_PORT}, $port, 32, 0) . $letter x 16;
  my $head = pack('CCnnnCCna4a4', 69, 0, 20 + length $data, 777, $is_last ? 3 : 0x2000, 64, 17, 0, inet_aton($from), inet_aton($to));
  send(S, $head . $data, 0, sockaddr_in(0, inet_aton($to))) or die $!;`;

describe.skipIf(problem !== null)('a network that a node gives and the gateway reaches by its default route', () => {
  let scene: TunnelScene;
  let office: Namespace;
  let site: Namespace;
  let siteTunnel = '';
  const ids = { office: 0, site: 0 };
  let token = '';
  /** What the gateway said to the node's token that gave the network. */
  let given: Json = {};

  const made = async (call: string, body: object): Promise<Json> => {
    const reply = await scene.api(call, body);
    expect(reply).toMatchObject({ status: expect.toSatisfy((status: number) => status < 300) as number });
    return reply.body;
  };
  const page = (from: Namespace, url: string): Promise<string> =>
    from.exec('curl', '--http1.1', '-sk', '--max-time', '15', url).catch(() => 'nothing');
  const siteCall = async (method: string, call: string, body: object): Promise<Json> => {
    const url = `https://${GATEWAY}:${scene.gateway.ports.console}/api/cli/${call}`;
    const headers = ['-H', `authorization: Bearer ${token}`, '-H', 'content-type: application/json'];
    const answer = await site.exec('curl', '-sk', '-X', method, ...headers, '-d', JSON.stringify(body), url);
    return JSON.parse(answer) as Json;
  };

  beforeAll(async () => {
    scene = await openTunnelScene({
      async prepare(home) {
        await home.exec('ip', 'route', 'replace', 'default', 'via', ROUTER);
        // The strictest that a machine may be about where packets come from.
        for (const which of ['all', 'default', 'eth0']) {
          await home.exec('sysctl', '-qw', `net.ipv4.conf.${which}.rp_filter=1`);
        }
      },
    });
    const router = await scene.host('router', ROUTER);
    await router.exec('sysctl', '-qw', 'net.ipv4.ip_forward=1');
    office = await scene.behind(router, 'office', '172.20.0');
    await scene.serve(office, SHARED, 'office');
    await made('POST /api/services/1/http', {
      name: 'Local',
      pathLocation: '/local',
      backendHost: SHARED,
      backendPort: PORTS.http,
    });

    const node = await made('POST /api/nodes', { name: 'office' });
    ids.office = Number(node['id']);
    await scene.join(office, ids.office);
    await scene.serve(office, String(node['address']), 'node');
    await made(`POST /api/services/${ids.office}/http`, {
      name: 'Node',
      pathLocation: '/node',
      backendPort: PORTS.http,
    });

    site = await scene.host('site', '198.18.0.30');
    const lan = await scene.behind(site, 'lan', '172.20.0');
    await scene.serve(lan, SHARED, 'site');
    await lan.exec('ip', 'address', 'add', `${ONLY_BEHIND_SITE}/24`, 'dev', 'eth0');
    await scene.serve(lan, ONLY_BEHIND_SITE, 'far');
    const gatewayNetwork = '192.168.77.0/24';
    ids.site = Number((await made('POST /api/nodes', { name: 'site', isGateway: true, gatewayNetwork }))['id']);
    token = String((await made(`POST /api/nodes/${ids.site}/pats`, { name: 'host' }))['token']);
    given = await siteCall('PATCH', 'node/gateway', { gatewayNetwork: SUBNET, gatewayInterface: 'eth1' });
    siteTunnel = (await scene.join(site, ids.site)).interface;
  }, 300_000);
  afterAll(() => scene?.close(), 60_000);

  it("leaves a service of the gateway's own machine with its backend there", async () => {
    expect(given).toMatchObject({ gatewayNetwork: SUBNET, problem: null });
    await scene.served('/local');
    expect(await scene.visit('/local')).toBe(`office http from ${GATEWAY} 200`);
    expect(await page(scene.home, `http://${SHARED}:${PORTS.http}/`)).toBe(`office http from ${GATEWAY}`);
  });

  it('leaves a node there connected, and visitors from there with the console and the services', async () => {
    await eventually(
      async () => (await scene.api(`GET /api/nodes/${ids.office}`)).body,
      ({ status }) => status === 'online',
    );
    expect(await scene.visit('/node')).toBe('node http from 10.88.0.1 200');
    const { console: consolePort, https } = scene.gateway.ports;
    expect(await page(office, `https://${GATEWAY}:${consolePort}/healthz`)).toContain('ok');
    expect(await page(office, `https://${GATEWAY}:${https}/node`)).toBe('node http from 10.88.0.1');
  });

  it('is reached behind the node by its own services: HTTP, TCP and UDP', async () => {
    const web = { name: 'site', pathLocation: '/site', backendHost: SHARED, backendPort: PORTS.http };
    expect(await siteCall('POST', 'expose/http', web)).toMatchObject({ problem: null });
    await scene.served('/site');
    // In turns: two backends at one address and port share no connection.
    for (let count = 0; count < 5; count += 1) {
      expect(await scene.visit('/site')).toBe('site http from 172.20.0.1 200');
      expect(await scene.visit('/local')).toBe(`office http from ${GATEWAY} 200`);
    }
    for (const proto of ['tcp', 'udp'] as const) {
      const body = { name: proto, proto, backendHost: SHARED, backendPort: PORTS[proto] };
      const { port } = await siteCall('POST', 'expose/tcp', body);
      expect(await scene.visitTcp(Number(port), 'hello', proto)).toBe(`site ${proto} hello`);
    }
  });

  it('is where the health of its services is asked, and of no others', async () => {
    const backend = { backendHost: ONLY_BEHIND_SITE, backendPort: PORTS.http };
    const { id } = await siteCall('POST', 'expose/http', { name: 'far', pathLocation: '/far', ...backend });
    const local = await made('POST /api/services/1/http', { name: 'Far', pathLocation: '/localFar', ...backend });
    const health = async (call: string): Promise<unknown> => (await scene.api(call)).body['health'];
    const comesToBe = (wanted: string, call: string): Promise<unknown> =>
      eventually(
        () => health(call),
        (found) => found === wanted,
        HEALTH_MS,
      );
    expect(await comesToBe('up', `GET /api/services/${ids.site}/http/${Number(id)}`)).toBe('up');
    expect(await comesToBe('down', `GET /api/services/1/http/${Number(local['id'])}`)).toBe('down');
  });

  it('gives its node no way to answer for hosts there, also where the kernel takes any source', async () => {
    for (const which of ['all', scene.tunnel]) {
      await scene.home.exec('sysctl', '-qw', `net.ipv4.conf.${which}.rp_filter=0`);
    }
    const asking = startScript(
      scene.home,
      `const socket = require('node:dgram').createSocket('udp4');
       process.stdin.on('data', (word) => socket.send(word, ${PORTS.udp}, '${SHARED}'));
       socket.on('message', (answer) => process.stdout.write(answer + ' '));
       socket.bind(${ASKING_PORT}, '${GATEWAY}');`,
    );
    const ask = async (word: string): Promise<unknown> => {
      asking.say(word);
      return asking.hear(`${word} `);
    };
    await ask('one');

    await scene.home.exec(
      'nft',
      `table ip seen { chain in { type filter hook prerouting priority -500; iifname "${scene.tunnel}" udp dport ${ASKING_PORT} counter; }; }`,
    );
    const gatewayKey = (await site.exec('wg', 'show', siteTunnel, 'peers')).trim();
    await site.exec('wg', 'set', siteTunnel, 'peer', gatewayKey, 'allowed-ips', `10.88.0.1/32,${GATEWAY}/32`);
    await site.exec('ip', 'address', 'add', `${SHARED}/32`, 'dev', 'lo');
    await site.exec('ip', 'rule', 'add', 'from', SHARED, 'lookup', '100');
    await site.exec('ip', 'route', 'add', 'default', 'dev', siteTunnel, 'table', '100');
    await site.exec(
      process.execPath,
      '-e',
      `const socket = require('node:dgram').createSocket('udp4');
       socket.bind(${PORTS.udp}, '${SHARED}', () => socket.send('forged', ${ASKING_PORT}, '${GATEWAY}', () => socket.close()));`,
    );
    await eventually(
      () => scene.home.exec('nft', 'list', 'table', 'ip', 'seen'),
      (text) => text.includes('counter packets 1 '),
    );
    await ask('two');
    expect(asking.said()).toBe('office udp one office udp two ');
  });

  it('gives its node no part in what visitors there send in pieces', async () => {
    const service = { name: 'Pieces', proto: 'udp', backendPort: PORTS.udp };
    const { port } = await made(`POST /api/services/${ids.office}/tcp`, service);
    const visitor = startScript(
      office,
      `const socket = require('node:dgram').createSocket('udp4');
       socket.on('message', (answer) => process.stdout.write(' ' + answer + ' end'));
       socket.bind(${PIECES_PORT}, '${SHARED}', () => process.stdout.write('ready'));`,
    );
    await visitor.hear('ready');
    // Where the kernel follows connections, it keeps a piece until the others come.
    await site.exec('nft', 'table ip untracked { chain out { type filter hook output priority -450; notrack; }; }');
    const from = `iifname "${scene.tunnel}" ip saddr ${SHARED} ip frag-off & 0x1fff != 0 counter`;
    await scene.home.exec(
      'nft',
      `table ip pieces { chain in { type filter hook prerouting priority -500; ${from}; }; }`,
    );
    const send = (where: Namespace, letter: string, isLast: boolean, ...device: string[]): Promise<string> =>
      where.exec('perl', '-MSocket', '-e', PIECE, SHARED, GATEWAY, String(port), letter, isLast ? '1' : '', ...device);
    await send(office, 'v', false);
    await send(site, 'a', true, siteTunnel);
    await eventually(
      () => scene.home.exec('nft', 'list', 'table', 'ip', 'pieces'),
      (text) => text.includes('counter packets 1 '),
    );
    await send(office, 'v', true);
    await visitor.hear('end');
    expect(visitor.said()).toBe(`ready node udp ${'v'.repeat(24)} end`);
  });

  it("leads its node to nothing of the gateway's machine, whichever address that has", async () => {
    // An interface that is down: its address is the machine's all the same.
    await scene.home.exec('ip', 'link', 'add', 'own0', 'type', 'veth', 'peer', 'name', 'own1');
    await scene.home.exec('ip', 'address', 'add', `${OWN}/32`, 'dev', 'own0');
    await scene.serve(scene.home, '0.0.0.0', 'machine');
    expect(await page(scene.home, `http://${OWN}:${PORTS.http}/`)).toBe(`machine http from ${OWN}`);
    // As by the names of a cluster: what goes there is led elsewhere on the machine.
    await scene.home.exec(
      'nft',
      `table ip led { chain out { type nat hook output priority -100; ip daddr ${LED} dnat to ${GATEWAY}; }; }`,
    );
    expect(await page(scene.home, `http://${LED}:${PORTS.http}/`)).toContain('machine http');
    for (const backendHost of [OWN, LED]) {
      const pathLocation = `/${backendHost}`;
      await siteCall('POST', 'expose/http', {
        name: backendHost,
        pathLocation,
        backendHost,
        backendPort: PORTS.http,
      });
      expect(await scene.visit(pathLocation)).toMatch(/ 502$/);
    }
  });
});
