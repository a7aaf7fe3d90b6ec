import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { namespacesProblem } from '../support/namespaces.ts';
import { eventually, GATEWAY, openTunnelScene, PORTS, type TunnelScene } from '../support/tunnelScene.ts';

const problem = await namespacesProblem();
if (problem !== null) process.stdout.write(`The journeys through the tunnel are skipped: ${problem}.\n`);

describe.skipIf(problem !== null)('nodes join for real', () => {
  let scene: TunnelScene;
  const ids = { home: 0, site: 0, web: 0 };
  const ports = { tcp: 0, udp: 0 };
  let address = '';

  beforeAll(async () => {
    scene = await openTunnelScene();
  }, 300_000);
  afterAll(() => scene?.close(), 60_000);

  const made = async (call: string, body: object): Promise<Record<string, unknown>> => {
    const reply = await scene.api(call, body);
    expect(reply).toMatchObject({ status: expect.toSatisfy((status: number) => status < 300) as number });
    return reply.body;
  };
  const node = async (id: number) => (await scene.api(`GET /api/nodes/${id}`)).body;

  it('reaches HTTP, TCP and UDP that listen only on a node behind NAT', async () => {
    const router = await scene.host('nat', '198.18.0.20');
    await router.exec('sysctl', '-qw', 'net.ipv4.ip_forward=1');
    const rules = 'table ip nat { chain post { type nat hook postrouting priority 100; oifname "eth0" masquerade; }; }';
    await router.exec('nft', rules);
    const home = await scene.behind(router, 'home', '198.19.1');

    const created = await made('POST /api/nodes', { name: `"home"; rm -rf ../'$(x) ${'x'.repeat(150)}` });
    ids.home = Number(created['id']);
    address = String(created['address']);
    expect(address).toBe('10.88.0.2');
    const web = await made(`POST /api/services/${ids.home}/http`, {
      name: 'Web',
      pathLocation: '/web',
      backendPort: PORTS.http,
    });
    ids.web = Number(web['id']);
    // No one is there yet: the answer says so.
    expect(web).toMatchObject({
      health: 'down',
      healthReason: expect.stringMatching(/has not connected yet/) as string,
    });

    await scene.join(home, ids.home);
    await scene.serve(home, address, 'home');
    const tcp = await made(`POST /api/services/${ids.home}/tcp`, { name: 'Tcp', backendPort: PORTS.tcp });
    const udp = await made(`POST /api/services/${ids.home}/tcp`, { name: 'Udp', proto: 'udp', backendPort: PORTS.udp });
    ports.tcp = Number(tcp['port']);
    ports.udp = Number(udp['port']);
    await scene.served('/web', /^home http from 10\.88\.0\.1 200$/);
    expect(await scene.visitTcp(ports.tcp, 'hello')).toBe('home tcp hello');
    expect(await scene.visitTcp(ports.udp, 'hello', 'udp')).toBe('home udp hello');
  });

  it.each(['localhost', 'a.localhost', '127.0.0.1', '127.9.9.9:8443', '[::1]', '198.18.0.77', GATEWAY])(
    "tells the node's server the gateway's own address when a visitor elsewhere says %s",
    async (host) => {
      const url = `https://${GATEWAY}:${scene.gateway.ports.https}/web/host`;
      const options = ['--http1.1', '--silent', '--insecure', '--header', `Host: ${host}`];
      expect(await scene.outside.exec('curl', ...options, url)).toBe(GATEWAY);
    },
  );

  it('shows the node online, where it comes from, its handshake and its traffic', async () => {
    const seen = await eventually(
      () => node(ids.home),
      ({ status, transferRx }) => status === 'online' && Number(transferRx) > 500,
    );
    expect(seen).toMatchObject({ clientIp: '198.18.0.20', problem: null });
    // A moment of these minutes, in milliseconds.
    expect(Math.abs(Date.now() - Number(seen['latestHandshakeTimestamp']))).toBeLessThan(600_000);
    expect(Number(seen['transferTx'])).toBeGreaterThan(500);
    await eventually(
      async () => (await scene.api(`GET /api/services/${ids.home}/http/${ids.web}`)).body,
      ({ health }) => health === 'up',
    );
  });

  it('reaches a host of a subnet behind a gateway node', async () => {
    const router = await scene.host('site', '198.18.0.30');
    const lan = await scene.behind(router, 'lan', '198.19.2');
    await scene.serve(lan, '198.19.2.2', 'lan');
    const site = await made('POST /api/nodes', {
      name: 'site',
      isGateway: true,
      gatewayNetworks: [{ interface: 'eth1', subnet: '198.19.2.0/24' }],
    });
    ids.site = Number(site['id']);
    await scene.join(router, ids.site);
    await made(`POST /api/services/${ids.site}/http`, {
      name: 'Lan',
      pathLocation: '/lan',
      backendHost: '198.19.2.2',
      backendPort: PORTS.http,
    });
    await scene.served('/lan', /^lan http from .* 200$/);
    // A host that is not behind the node would be reached by another way than the tunnel.
    const elsewhere = await scene.api(`POST /api/services/${ids.site}/http`, {
      name: 'Elsewhere',
      pathLocation: '/elsewhere',
      backendHost: '198.19.1.2',
      backendPort: PORTS.http,
    });
    expect(elsewhere.status).toBe(422);
  });

  it('closes everything of a node that is disconnected, at once, and opens it again', async () => {
    const held = scene.outside.spawn(
      process.execPath,
      new URL('../support/visitor.mjs', import.meta.url).pathname,
      'hold',
      GATEWAY,
      String(ports.tcp),
      'hello',
    );
    let said = '';
    held.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const heard = (words: string) =>
      eventually(
        async () => said,
        (text) => text.includes(words),
      );
    await heard('home tcp hello');
    const before = Number((await node(ids.home))['transferRx']);
    await scene.api(`PATCH /api/nodes/${ids.home}/disable`);
    // Left alone, it would stay open for a day.
    await heard('closed');
    expect(await scene.home.exec('wg', 'show', scene.tunnel, 'allowed-ips')).not.toContain(address);
    expect(await scene.visit('/web')).toMatch(/ 503$/);
    expect(await scene.visitTcp(ports.tcp, 'hello')).toMatch(/^failed/);
    expect(await node(ids.home)).toMatchObject({ status: 'offline', clientIp: null });
    expect(await scene.visit('/lan')).toMatch(/ 200$/);

    await scene.api(`PATCH /api/nodes/${ids.home}/enable`);
    expect(await scene.served('/web')).toMatch(/^home http/);
    expect(await scene.visitTcp(ports.tcp, 'hello')).toBe('home tcp hello');
    const after = await eventually(
      () => node(ids.home),
      ({ status }) => status === 'online',
    );
    expect(Number(after['transferRx'])).toBeGreaterThanOrEqual(before);
  });
});
