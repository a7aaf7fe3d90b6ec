import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Namespace, namespacesProblem } from '../support/namespaces.ts';
import {
  begunAgain,
  eventually,
  GATEWAY,
  type Json,
  openTunnelScene,
  pageFrom,
  PORTS,
  serveHome,
  SILENCE_SECONDS,
  type TunnelScene,
} from '../support/tunnelScene.ts';

const problem = await namespacesProblem();
if (problem !== null) process.stdout.write(`The moves of nodes are skipped: ${problem}.\n`);

const nat = (rule: string): string =>
  `table ip nat { chain post { type nat hook postrouting priority 100; oifname "eth0" ${rule}; }; }`;
/** Several keep-alives of a node, and less than the session that it would begin by itself. */
const FOUND_AGAIN_MS = 40_000;

describe.skipIf(problem !== null)('what moves while nodes are connected', () => {
  let scene: TunnelScene;
  let router: Namespace;
  let home: Namespace;
  let id = 0;

  beforeAll(async () => {
    scene = await openTunnelScene();
    router = await scene.host('nat', '198.18.0.20');
    await router.exec('sysctl', '-qw', 'net.ipv4.ip_forward=1');
    await router.exec('nft', nat('masquerade'));
    home = await scene.behind(router, 'home', '198.19.1');
    id = await serveHome(scene, home);
  }, 300_000);
  afterAll(() => scene?.close(), 60_000);

  const node = async (): Promise<Json> => (await scene.api(`GET /api/nodes/${id}`)).body;
  const endpoint = async (): Promise<string> =>
    (await scene.home.exec('wg', 'show', scene.tunnel, 'endpoints')).trim().split('\t')[1] ?? '';

  async function foundAgain(before: string): Promise<string> {
    const since = Date.now();
    const now = await eventually(endpoint, (place) => place !== before, FOUND_AGAIN_MS);
    const movedMs = Date.now() - since;
    expect(await scene.served('/web')).toMatch(/^home http/);
    process.stdout.write(
      `Moved from ${before} to ${now}: known after ${movedMs} ms, served after ${Date.now() - since} ms\n`,
    );
    return now;
  }

  it('the public address of a node behind NAT changes: it is found again with its next keep-alive', async () => {
    const before = await endpoint();
    expect(before).toMatch(/^198\.18\.0\.20:/);
    await router.exec('sysctl', '-qw', 'net.ipv4.conf.eth0.promote_secondaries=1');
    await router.exec('ip', 'address', 'add', '198.18.0.77/24', 'dev', 'eth0');
    await router.exec('ip', 'address', 'delete', '198.18.0.20/24', 'dev', 'eth0');
    expect(await foundAgain(before)).toMatch(/^198\.18\.0\.77:/);
    expect(await eventually(node, ({ clientIp }) => clientIp === '198.18.0.77', FOUND_AGAIN_MS)).toMatchObject({
      status: 'online',
    });
  });

  it('its router forgets the connection and gives it another port: it is found again', async () => {
    const before = await endpoint();
    await router.exec('nft', 'flush', 'ruleset');
    await router.exec('nft', nat('meta l4proto udp masquerade to :41000-41999'));
    // A cable that is pulled for a moment: what the router knew of connections is gone.
    await router.exec('ip', 'link', 'set', 'eth0', 'down');
    await router.exec('ip', 'link', 'set', 'eth0', 'up');
    expect(await foundAgain(before)).toMatch(/^198\.18\.0\.77:41\d{3}$/);
    expect(await node()).toMatchObject({ status: 'online' });
  });

  it('a node that sends all its traffic through the VPN reaches the internet, and nothing that is private', async () => {
    const beyond = await scene.behind(scene.home, 'beyond', '192.0.2');
    // Who is beyond knows no way to the nodes: only what comes under the gateway's address is answered.
    await beyond.exec('ip', 'route', 'delete', 'default');
    await scene.serve(beyond, '192.0.2.2', 'beyond');
    await beyond.exec('ip', 'address', 'add', '100.64.7.2/24', 'dev', 'eth0');
    await scene.home.exec('ip', 'address', 'add', '100.64.7.1/24', 'dev', 'eth1');
    await scene.serve(beyond, '100.64.7.2', 'private');
    await scene.serve(scene.home, GATEWAY, 'own');
    // A neighbour of the gateway who takes its machine for a router.
    await scene.outside.exec('ip', 'route', 'add', '192.0.2.0/24', 'via', GATEWAY);
    await beyond.exec('ip', 'route', 'add', '198.18.0.9', 'via', '192.0.2.1');

    const { body } = await scene.api('POST /api/nodes', { name: 'all', allowInternet: true });
    expect(body).toMatchObject({ allowInternet: true, problem: null });
    const nat2 = await scene.host('nat2', '198.18.0.30');
    await nat2.exec('sysctl', '-qw', 'net.ipv4.ip_forward=1');
    await nat2.exec('nft', nat('masquerade'));
    const all = await scene.behind(nat2, 'all', '198.19.2');
    await scene.join(all, Number(body['id']));
    const forwarding = async (): Promise<Record<string, string>> => {
      const names = ['eth0', 'eth1', scene.tunnel];
      const files = names.map((name) => `/proc/sys/net/ipv4/conf/${name}/forwarding`);
      const flags = (await scene.home.exec('cat', ...files)).trim().split('\n');
      return Object.fromEntries(names.map((name, index) => [name, flags[index] ?? '']));
    };
    const page = (from: Namespace, host: string, seconds?: number) => pageFrom(from, `${host}:${PORTS.http}`, seconds);
    const expectNothing = async (from: Namespace, host: string): Promise<void> =>
      expect(await page(from, host, SILENCE_SECONDS)).toBe('nothing');

    expect(await page(all, '192.0.2.2')).toBe('beyond http from 192.0.2.1');
    // No machine becomes a router for those around it.
    await expectNothing(scene.outside, '192.0.2.2');
    await expectNothing(beyond, '198.18.0.9');
    // What another program hands on, as Docker does with a port of a container, is handed on.
    const handOn = `tcp dport 4747 dnat to 192.0.2.2:${PORTS.http}`;
    const hands = `table ip hands { chain pre { type nat hook prerouting priority -100; ${handOn}; }; }`;
    await scene.home.exec('nft', hands);
    expect(await pageFrom(scene.outside, `${GATEWAY}:4747`)).toBe('beyond http from 198.18.0.9');
    // What the gateway itself reaches, and strangers reach at the gateway, a node does not.
    expect(await page(scene.home, '100.64.7.2')).toMatch(/^private http/);
    expect(await page(scene.outside, GATEWAY)).toMatch(/^own http/);
    const closed = ['100.64.7.2', '100.64.7.1', GATEWAY, '10.88.0.1', '10.88.0.2'];
    await Promise.all(closed.map((host) => expectNothing(all, host)));
    // The way to the internet is that node's alone, and no longer than the administrator wants.
    await expectNothing(home, '192.0.2.2');
    // One that is made a router by its administrator is one, and the node goes on whatever becomes of that.
    const routed = (isRouted: boolean): Promise<string> =>
      eventually(
        () => page(scene.outside, '192.0.2.2', isRouted ? 5 : SILENCE_SECONDS),
        (text) => text === (isRouted ? 'beyond http from 198.18.0.9' : 'nothing'),
        FOUND_AGAIN_MS,
      );
    await scene.home.exec('sysctl', '-qw', 'net.ipv4.ip_forward=1');
    await routed(true);
    expect(await page(all, '192.0.2.2')).toBe('beyond http from 192.0.2.1');
    await scene.home.exec('sysctl', '-qw', 'net.ipv4.ip_forward=0');
    await routed(false);
    await eventually(
      () => page(all, '192.0.2.2', 5),
      (text) => text === 'beyond http from 192.0.2.1',
      FOUND_AGAIN_MS,
    );
    await expectNothing(scene.outside, '192.0.2.2');
    const changed = await scene.api(`PATCH /api/nodes/${Number(body['id'])}`, { allowInternet: false });
    expect(changed.status).toBeLessThan(300);
    await expectNothing(all, '192.0.2.2');
    expect(await forwarding()).toEqual({ eth0: '0', eth1: '0', [scene.tunnel]: '0' });
    expect(await scene.visit('/web')).toMatch(/ 200$/);
  }, 300_000);

  const received = async (): Promise<number> => Number((await node())['transferRx']);
  const links = async (): Promise<string> => scene.home.exec('ip', '-o', 'link', 'show');
  const index = async (): Promise<string> =>
    new RegExp(`^(\\d+): ${scene.tunnel}:`, 'm').exec(await links())?.[1] ?? 'none';
  it('SIGTERM leaves the tunnel, and the next start takes it over with all that was counted', async () => {
    // More bytes than a restart moves by itself.
    const visits = await scene.visitSteadily('/web', 100, 'home http');
    await eventually(received, (bytes) => bytes > 20_000);
    expect(await visits.end()).toMatchObject({ failed: 0 });
    // The gateway looks now and then; it has counted everything once it says what WireGuard says.
    const { address } = await node();
    const [before] = await eventually(
      async () => [await received(), await scene.carriedFrom(address)] as const,
      ([told, carried]) => told === carried,
    );
    const was = await index();
    const shaken = await scene.handshakes();
    await scene.gateway.end('SIGTERM');
    expect(await index()).toBe(was);
    expect(await scene.visit('/web')).toMatch(/^home http.* 200$/);
    await scene.gateway.start();
    expect(await index()).toBe(was);
    expect(begunAgain(shaken, await scene.handshakes())).toEqual([]);
    expect(await node()).toMatchObject({ status: 'online' });
    const after = await received();
    expect(after).toBeGreaterThanOrEqual(before);
    expect(after).toBeLessThan(1.5 * before);
  });

  it('counts on when the interface is made again', async () => {
    const before = await received();
    const was = await index();
    await scene.home.exec('ip', 'link', 'delete', scene.tunnel);
    await scene.served('/web');
    expect(await index()).not.toBe(was);
    const after = await eventually(received, (bytes) => bytes > before);
    expect(after).toBeLessThan(1.5 * before);
  });

  it('SIGINT takes all of it away, and the next start makes it again and counts on', async () => {
    const before = await received();
    await scene.gateway.end('SIGINT');
    expect(await index()).toBe('none');
    expect(await scene.home.exec('ip', 'route', 'show', 'proto', '151')).toBe('');
    expect(await scene.home.exec('nft', 'list', 'tables')).not.toContain('sallyport');
    await scene.gateway.start();
    await scene.served('/web');
    const after = await eventually(received, (bytes) => bytes > before);
    expect(after).toBeLessThan(1.5 * before);
  });
});
