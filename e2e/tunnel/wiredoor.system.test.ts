import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeWiredoorDirectory, type WiredoorDirectory } from '../../packages/gateway/src/testing/wiredoorDirectory.ts';
import { gatewayCommand } from '../../scripts/gatewayCommand.mjs';
import { type Namespace, namespacesProblem } from '../support/namespaces.ts';
import {
  eventually,
  GATEWAY,
  openTunnelScene,
  pageFrom,
  PORTS,
  SILENCE_SECONDS,
  type TunnelScene,
} from '../support/tunnelScene.ts';

const problem = await namespacesProblem();
if (problem !== null) process.stdout.write(`The nodes of a Wiredoor server are not tried: ${problem}.\n`);

const LIMIT_MS = 180_000;
const SERVER = '10.0.0.1';
const LAN = '198.19.2.0/24';
/** Their numbers in the former server. */
const [EDGE, SITE, GONE] = [2, 3, 4];
const TCP_PORT = 32_761;
const SETTINGS = {
  SALLYPORT_VPN_HOST: GATEWAY,
  SALLYPORT_VPN_SUBNET: '10.0.0.0/24',
  SALLYPORT_HTTP_PORT: '80',
  SALLYPORT_HTTPS_PORT: '443',
  SALLYPORT_HOST_NAMES: 'wiredoor.example.test',
  SALLYPORT_TCP_PORTS: '32760-32767',
  SALLYPORT_TUNNEL: 'on',
  SALLYPORT_WIREDOOR_CLIENTS: 'on',
};

describe.skipIf(problem !== null)('the nodes of a Wiredoor server that was taken over', () => {
  let base: string;
  let former: WiredoorDirectory;
  let scene: TunnelScene;
  let edge: Namespace;
  /** The interface of that node, which is up all the time. */
  let device: string;
  let before: string;

  beforeAll(async () => {
    base = mkdtempSync(path.join(tmpdir(), 'sallyport-former-'));
    // nginx's workers are another user.
    chmodSync(base, 0o711);
    const data = path.join(base, 'gateway');
    mkdirSync(data);
    former = makeWiredoorDirectory(path.join(base, 'wiredoor'), {
      nodes: [
        { name: 'edge' },
        { name: 'site', isGateway: 1, gatewayNetworks: [{ interface: 'eth1', subnet: LAN }] },
        { name: 'gone', enabled: 0 },
      ],
      domains: [{ domain: 'app.example.test', skipValidation: 1 }],
      http_services: [
        { name: 'Wiredoor_APP', domain: 'wiredoor.example.test', nodeId: 1, backendHost: '127.0.0.1' },
        { name: 'web', domain: 'app.example.test', nodeId: EDGE, backendPort: PORTS.http },
        { name: 'lan', pathLocation: '/lan', nodeId: SITE, backendHost: '198.19.2.2', backendPort: PORTS.http },
        { name: 'inside', pathLocation: '/inside', nodeId: EDGE, backendPort: PORTS.http, allowedIps: ['10.0.0.0/24'] },
      ],
      tcp_services: [{ name: 'tcp', nodeId: EDGE, backendPort: PORTS.tcp, port: TCP_PORT }],
      tokens: [{ nodeId: EDGE }, { nodeId: EDGE, revoked: 1 }],
    });
    scene = await openTunnelScene({
      data,
      env: SETTINGS,
      async prepare(home, tunnel, around) {
        const formerServer = await startFormer(home, around.uniqueName());
        edge = await around.host('edge', '198.18.0.21');
        device = around.uniqueName();
        await join(edge, EDGE, device);
        await around.serve(edge, `10.0.0.${EDGE}`, 'edge');
        await eventually(
          () => pageFrom(home, `10.0.0.${EDGE}:${PORTS.http}`),
          (page) => page === `edge http from ${SERVER}`,
        );
        before = await stateOf(edge, device);
        await formerServer.end();
        const settings = { ...SETTINGS, SALLYPORT_DATA: data, SALLYPORT_VPN_INTERFACE: tunnel };
        const words = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
        const child = home.spawn('env', ...words, ...gatewayCommand, 'import', 'wiredoor', former.path, '--apply');
        let said = '';
        child.stdout?.on('data', (part: Buffer) => (said += part.toString()));
        const [code] = (await once(child, 'close')) as [number];
        if (code !== 0) throw new Error(`The import ended with ${code}: ${said}`);
      },
    });
  }, LIMIT_MS);
  afterAll(async () => {
    await scene?.close();
    rmSync(base, { recursive: true, force: true });
  }, LIMIT_MS);

  /** Brings an interface up from a file. */
  async function up(where: Namespace, name: string, lines: readonly string[]): Promise<string> {
    const file = path.join(base, `${name}.conf`);
    writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
    await where.exec('wg-quick', 'up', file);
    return file;
  }

  /** Starts the tunnel of the former server for the one node that is on. */
  async function startFormer(home: Namespace, name: string) {
    const { publicKey, presharedKey } = former.keysOf(EDGE);
    const own = [
      '[Interface]',
      `PrivateKey = ${former.server.privateKey}`,
      `Address = ${SERVER}/24`,
      'ListenPort = 51820',
    ];
    const peer = [
      '[Peer]',
      `PublicKey = ${publicKey}`,
      `PresharedKey = ${presharedKey}`,
      `AllowedIPs = 10.0.0.${EDGE}/32`,
    ];
    const file = await up(home, name, [...own, ...peer]);
    return { end: () => home.exec('wg-quick', 'down', file) };
  }

  /** What a change on a node's host would change: its interface made again, or another key or port of it. */
  const stateOf = (where: Namespace, name: string): Promise<string> =>
    where.exec(
      'sh',
      '-c',
      `cat /sys/class/net/${name}/ifindex; wg show ${name} public-key; wg show ${name} listen-port`,
    );

  /** Starts the tunnel of a node with the configuration that Wiredoor wrote for it. */
  async function join(where: Namespace, nodeId: number, name: string, hooks: readonly string[] = []): Promise<void> {
    const { privateKey, presharedKey } = former.keysOf(nodeId);
    const own = ['[Interface]', `PrivateKey = ${privateKey}`, `Address = 10.0.0.${nodeId}/32`, '', ...hooks, ''];
    const peer = [
      '[Peer]',
      `PublicKey = ${former.server.publicKey}`,
      `PresharedKey = ${presharedKey}`,
      'AllowedIPs = 10.0.0.0/24',
      'PersistentKeepalive = 25',
      `Endpoint = ${GATEWAY}:51820`,
    ];
    await up(where, name, [...own, ...peer]);
  }

  /** What a client gets from port 443, and the status. */
  const ask = (from: Namespace, host: string, target: string, ...more: string[]): Promise<string> =>
    from.exec(
      'curl',
      ...'--http1.1 --silent --insecure --max-time 15 --write-out'.split(' '),
      ' %{http_code}',
      '--connect-to',
      `::${GATEWAY}:443`,
      ...more,
      `https://${host}${target}`,
    );
  const bearer = (id: number): string[] => ['--header', `Authorization: Bearer ${former.token(id)}`];
  /** Whether a port at an address can be connected to, as the watchdog asks. */
  const opens = (from: Namespace, address: string, port: number, seconds = 15): Promise<boolean> => {
    const script = `const s = require('node:net').connect(${port}, '${address}'); s.on('connect', () => process.exit(0)); s.on('error', () => process.exit(1)); setTimeout(() => process.exit(1), ${seconds * 1000})`;
    return from.exec(process.execPath, '-e', script).then(
      () => true,
      () => false,
    );
  };

  it(
    'that were connected to it go on with the gateway, and serve as before, without a change on their hosts',
    async () => {
      // What Wiredoor's watchdog asks for, until it is answered.
      await eventually(
        () => opens(edge, SERVER, 443, SILENCE_SECONDS),
        (isOpen) => isOpen,
      );
      const page = await eventually(
        () => ask(scene.outside, 'app.example.test', '/'),
        (text) => text.endsWith(' 200'),
      );
      expect(page).toBe(`edge http from ${SERVER} 200`);
      expect(await scene.visitTcp(TCP_PORT, 'hello')).toBe('edge tcp hello');
      const shaken = [...(await scene.handshakes()).values()].filter((at) => at > 0);
      expect(shaken).toHaveLength(1);
      expect(await stateOf(edge, device)).toBe(before);
    },
    LIMIT_MS,
  );

  it(
    'lead to the networks behind them by the rules that Wiredoor wrote',
    async () => {
      const router = await scene.host('site', '198.18.0.30');
      await router.exec('sysctl', '-qw', 'net.ipv4.ip_forward=1');
      const lan = await scene.behind(router, 'lan', '198.19.2');
      await scene.serve(lan, '198.19.2.2', 'lan');
      const name = scene.uniqueName();
      await join(router, SITE, name, [
        `PostUp = iptables -A FORWARD -i ${name} -o eth1 -s 10.0.0.0/24 -d ${LAN} -j ACCEPT`,
        `PostUp = iptables -A FORWARD -i eth1 -o ${name} -s ${LAN} -d 10.0.0.0/24 -j ACCEPT`,
        `PostUp = iptables -t nat -A POSTROUTING -s 10.0.0.0/24 -d ${LAN} -o eth1 -j MASQUERADE`,
      ]);
      const page = await eventually(
        () => ask(scene.outside, GATEWAY, '/lan'),
        (text) => text.endsWith(' 200'),
      );
      expect(page).toMatch(/^lan http from /);
    },
    LIMIT_MS,
  );

  it(
    'find port 443 at the address of the server in the tunnel, and nothing else there',
    async () => {
      expect(await opens(edge, SERVER, 443)).toBe(true);
      // As a visitor whose address no one else can have.
      expect(await edge.exec('curl', '-skm', '15', `https://${SERVER}/inside`)).toMatch(/^edge http/);
      expect(await ask(scene.outside, GATEWAY, '/inside')).toMatch(/ 403$/);
      for (const port of [80, scene.gateway.ports.console]) {
        expect(await opens(edge, SERVER, port, SILENCE_SECONDS)).toBe(false);
      }
      expect(await opens(edge, `10.0.0.${SITE}`, PORTS.http, SILENCE_SECONDS)).toBe(false);
      // No one else reaches that address.
      await scene.outside.exec('ip', 'route', 'add', `${SERVER}/32`, 'via', GATEWAY);
      expect(await opens(scene.outside, SERVER, 443, SILENCE_SECONDS)).toBe(false);
    },
    LIMIT_MS,
  );

  it(
    'are answered on 443 what their command line asks with the tokens that they have',
    async () => {
      for (const host of [GATEWAY, 'wiredoor.example.test']) {
        const [node = '', status] = (await ask(edge, host, '/api/cli/node', ...bearer(1))).split(/ (?=\d+$)/);
        expect([status, JSON.parse(node)]).toMatchObject([
          '200',
          { name: 'edge', address: '10.0.0.2', httpServices: [{ name: 'web' }, { name: 'inside' }] },
        ]);
      }
      const settings = await ask(edge, GATEWAY, '/api/config', ...bearer(1));
      expect(settings).toMatch(/ 200$/);
      expect(settings).toContain('"TCP_SERVICES_PORT_RANGE":"32760-32767"');
      const config = await ask(edge, GATEWAY, '/api/cli/config', ...bearer(1));
      expect(config).toContain(`PrivateKey = ${former.keysOf(EDGE).privateKey}`);
      expect(config).toContain(`PublicKey = ${former.server.publicKey}`);
      const exposed = JSON.stringify({ name: 'more', domain: '', pathLocation: '/more', backendPort: PORTS.http });
      const json = ['--header', 'Content-Type: application/json', '--data', exposed];
      expect(await ask(edge, GATEWAY, '/api/cli/expose/http', ...bearer(1), ...json)).toMatch(/ 200$/);
      expect(await ask(scene.outside, GATEWAY, '/more')).toMatch(/^edge http .* 200$/);
      // Revoked, none at all, another call, and another name.
      expect(await ask(edge, GATEWAY, '/api/cli/node', ...bearer(2))).toMatch(/ 401$/);
      expect(await ask(edge, GATEWAY, '/api/cli/node')).toMatch(/ 401$/);
      expect(await ask(edge, GATEWAY, '/api/nodes', ...bearer(1))).toMatch(/ 404$/);
      expect(await ask(edge, 'app.example.test', '/api/cli/node', ...bearer(1))).toMatch(/^edge http/);
    },
    LIMIT_MS,
  );

  it(
    'stay out where they were disconnected',
    async () => {
      const host = await scene.host('gone', '198.18.0.40');
      await join(host, GONE, scene.uniqueName());
      expect(await opens(host, SERVER, 443, SILENCE_SECONDS)).toBe(false);
      expect((await scene.handshakes()).size).toBe(2);
    },
    LIMIT_MS,
  );

  it(
    'reach no call of the console on 443, however its path is written',
    async () => {
      // What has a path of its own there is refused such paths as well.
      const { body } = await scene.api('GET /api/services/http');
      type Service = { id: number; nodeId: number; domain: string | null; pathLocation: string };
      for (const { id, nodeId, domain, pathLocation } of JSON.parse(String(body['text'])) as Service[]) {
        if (domain === null && pathLocation !== '/') await scene.api(`DELETE /api/services/${nodeId}/http/${id}`);
      }
      expect(await ask(edge, GATEWAY, '/api/cli/node', ...bearer(1))).toMatch(/ 200$/);
      const login = ['--data', JSON.stringify(scene.gateway), '--header', 'Content-Type: application/json'];
      for (const way of ['/api/cli%2fx/..', '/api/cli/x%2f..%2f..', '/api/cli/x%5c../..', '/api/cli/%2e%2e']) {
        const answer = await ask(edge, GATEWAY, `${way}/auth/login`, '--path-as-is', ...login);
        expect(answer).toMatch(/ (?:400|404)$/);
        expect(answer).not.toContain('sps_');
      }
      // Nor its page, on an origin where nodes have their paths.
      const asBrowser = ['--header', 'Accept: text/html'];
      for (const way of ['/api%2fcli/login', '/api', '/api?login', '/Api/auth/login', '/api;/auth/login']) {
        expect(await ask(edge, GATEWAY, way, '--path-as-is', ...asBrowser), way).toMatch(/ 404$/);
      }
    },
    LIMIT_MS,
  );
});
