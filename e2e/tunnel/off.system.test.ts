import { spawnSync } from 'node:child_process';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { namespacesProblem } from '../support/namespaces.ts';
import { type Json, openTunnelScene, type TunnelScene, type TunnelSceneOptions } from '../support/tunnelScene.ts';

const problem = await namespacesProblem();
if (problem !== null) process.stdout.write(`What keeps the tunnel off is not tried: ${problem}.\n`);

const HAS_KERNEL = existsSync('/sys/module/wireguard');
if (problem === null && HAS_KERNEL) {
  process.stdout.write('A container without /dev/net/tun is not tried: this kernel has WireGuard, which needs none.\n');
}

/** The user that owns nothing. */
const NOBODY = 65_534;
const CHECKOUT = path.resolve(import.meta.dirname, '../..');
// A checkout below /root is where only root may go: here it is seen in a directory of its own instead.
const SEEN_BY_ALL = `mount --bind "$0" /mnt && mount -t tmpfs -o mode=755 tmpfs "/$(echo "$0" | cut -d/ -f2)" &&
mkdir -p "$0" && mount --bind /mnt "$0" && exec "$@"`;
const AS_NOBODY = ['setpriv', '--reuid', `${NOBODY}`, '--regid', `${NOBODY}`, '--clear-groups'];
const MAY_READ = spawnSync('setpriv', [...AS_NOBODY.slice(1), 'test', '-r', import.meta.filename]).status === 0;
const UDP_PORT = '51820';
const LIMIT_MS = 180_000;

type Off = { feature: string; reason: string; fix: string };

describe.skipIf(problem !== null)('what keeps the tunnel off', () => {
  let scene: TunnelScene | undefined;
  afterEach(async () => {
    await scene?.close();
    scene = undefined;
  }, LIMIT_MS);

  async function open(options: TunnelSceneOptions): Promise<TunnelScene> {
    scene = await openTunnelScene(options);
    return scene;
  }

  const tunnelOff = async ({ api }: TunnelScene): Promise<Off[]> =>
    ((await api('GET /api/config')).body['unavailable'] as Off[]).filter(({ feature }) => feature === 'tunnel');

  /** Creates a node, and looks that nothing of a tunnel came of it. */
  async function createInVain(opened: TunnelScene): Promise<Json> {
    const { status, body } = await opened.api('POST /api/nodes', { name: 'home' });
    expect(status).toBeLessThan(300);
    const { home } = opened;
    expect(await home.exec('ip', 'route', 'show', 'table', 'all', 'proto', '151')).toBe('');
    expect(await home.exec('ip', 'rule', 'show')).not.toContain('proto 151');
    // Each time that it is tried the packet filter is first, and is taken away when what follows fails.
    await expect.poll(() => home.exec('nft', 'list', 'tables')).not.toContain('sallyport');
    const id = Number(body['id']);
    const service = { name: 'Web', pathLocation: '/web', backendPort: 8080 };
    expect((await opened.api(`POST /api/services/${id}/http`, service)).body['problem']).toMatch(/^The tunnel is off/);
    expect(await opened.visit('/web')).toMatch(/ 503$/);
    return body;
  }

  async function expectOff(opened: TunnelScene, reason: string, fix: string): Promise<void> {
    expect(await tunnelOff(opened)).toEqual([{ feature: 'tunnel', reason, fix }]);
    const lines = opened.gateway.output().split('\n');
    expect(lines.filter((line) => line.includes(`tunnel: ${reason} ${fix}`))).toHaveLength(1);
  }

  it.each([
    {
      who: 'who is not root is told to be',
      launcher: MAY_READ ? AS_NOBODY : ['unshare', '--mount', 'sh', '-c', SEEN_BY_ALL, CHECKOUT, ...AS_NOBODY],
      reason: 'Only root can set up network interfaces.',
      fix: 'Run the gateway as root, with sudo.',
    },
    {
      who: 'a container without the right is told which one',
      launcher: ['setpriv', '--bounding-set', '-net_admin', '--inh-caps', '-net_admin'],
      reason: 'This container may not set up network interfaces.',
      fix: 'Start it with --cap-add=NET_ADMIN --device=/dev/net/tun.',
    },
    {
      who: 'a machine without WireGuard is told what to install',
      launcher: ['unshare', '--mount', '/bin/sh', '-c', 'mount --bind /dev/null "$(command -v wg)" && exec "$@"', 'sh'],
      reason: 'This machine lacks wireguard-tools.',
      fix: 'Run apt-get install --no-install-recommends wireguard-tools, then start the gateway again.',
    },
  ])(
    '$who',
    async ({ launcher, reason, fix }) => {
      const data = await mkdtemp(path.join(tmpdir(), 'sallyport-e2e-off-'));
      try {
        if (launcher.includes('--reuid')) await chown(data, NOBODY, NOBODY);
        const opened = await open({ launcher, data });
        await expectOff(opened, reason, fix);
        await createInVain(opened);
        expect(await opened.home.exec('ip', '-o', 'link', 'show')).not.toContain(opened.tunnel);
        await opened.close();
        scene = undefined;
      } finally {
        await rm(data, { recursive: true, force: true });
      }
    },
    LIMIT_MS,
  );

  it.skipIf(HAS_KERNEL)(
    'a container without the device is told how to get it',
    async () => {
      const hide = 'mount -t tmpfs none /dev/net && exec "$@"';
      const opened = await open({ launcher: ['unshare', '--mount', '/bin/sh', '-c', hide, 'sh'] });
      const [reason, fix] = ['This machine has no /dev/net/tun.', 'Start the container with --device=/dev/net/tun.'];
      await expectOff(opened, reason, fix);
      expect(opened.gateway.output()).toContain(reason);
      await createInVain(opened);
    },
    LIMIT_MS,
  );

  it(
    'an interface of another program is left alone',
    async () => {
      const opened = await open({
        prepare: (home, tunnel) => home.exec('ip', 'link', 'add', tunnel, 'type', 'bridge'),
      });
      const link = (): Promise<string> => opened.home.exec('ip', '-details', 'address', 'show', 'dev', opened.tunnel);
      const before = await link();
      await createInVain(opened);
      expect(await tunnelOff(opened)).toEqual([
        {
          feature: 'tunnel',
          reason: `The network interface ${opened.tunnel} belongs to another program or another gateway.`,
          fix: 'Choose another name with SALLYPORT_VPN_INTERFACE, then start the gateway again.',
        },
      ]);
      expect(await opened.api('GET /healthz')).toMatchObject({ status: 503, body: { tunnel: 'down', ingress: 'up' } });
      expect(await link()).toBe(before);
      // Ctrl+C takes away what is the gateway's own, and no more.
      await opened.gateway.end('SIGINT');
      expect(await link()).toBe(before);
      await opened.gateway.start();
      expect(opened.gateway.output()).toContain(`tunnel: The network interface ${opened.tunnel} belongs to`);
    },
    LIMIT_MS,
  );

  it(
    'a UDP port that is taken is named, and used as soon as it is free',
    async () => {
      let free = (): unknown => undefined;
      const opened = await open({
        async prepare(home) {
          const taker = `require('dgram').createSocket('udp4').bind(${UDP_PORT}, () => process.stdout.write('bound'))`;
          const child = home.spawn(process.execPath, '-e', taker);
          await new Promise((done) => child.stdout?.once('data', done));
          free = () => child.kill('SIGKILL');
        },
      });
      await createInVain(opened);
      const [off] = await tunnelOff(opened);
      expect(off).toMatchObject({ reason: `Another program uses UDP port ${UDP_PORT}.` });
      expect(off?.fix).toContain('SALLYPORT_VPN_PORT');
      free();
      await expect.poll(() => tunnelOff(opened), { timeout: 40_000, interval: 200 }).toEqual([]);
      expect(await opened.home.exec('wg', 'show', opened.tunnel, 'listen-port')).toBe(`${UDP_PORT}\n`);
    },
    LIMIT_MS,
  );

  it(
    'a network that this machine reaches already is refused at the start, with the interface that has it',
    async () => {
      const refused = open({ env: { SALLYPORT_VPN_SUBNET: '198.18.0.0/16' } });
      await expect(refused).rejects.toThrow(
        /SALLYPORT_VPN_SUBNET 198\.18\.0\.0\/16 overlaps 198\.18\.0\.0\/24, which this machine reaches through eth0\. Choose another/,
      );
    },
    LIMIT_MS,
  );
});
