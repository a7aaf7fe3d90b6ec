import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dnsScript } from '../support/dnsServer.ts';
import { type Namespace, namespacesProblem } from '../support/namespaces.ts';
import { openPackagedScene, type PackagedHost, type PackagedScene } from '../support/packagedHosts.ts';
import { pageFrom, PORTS, SILENCE_SECONDS, startScript } from '../support/tunnelScene.ts';

const problem = await namespacesProblem();
if (problem !== null) process.stderr.write(`skipped: a service keeps a host connected, because ${problem}\n`);

const HAS_ANALYZER = existsSync('/usr/bin/systemd-analyze');
if (!HAS_ANALYZER) process.stderr.write('skipped: what systemd says of the unit, because systemd-analyze is missing\n');

const HAS_IPTABLES = ['/usr/sbin/iptables', '/sbin/iptables'].some(existsSync);
if (!HAS_IPTABLES) process.stderr.write('not tried: a host whose iptables forward nothing, because it has none\n');

const UNIT = '/etc/systemd/system/sallyport.service';
/** The exposure that `systemd-analyze security` may see at most, in tenths; 100 is a program that may do everything. */
const EXPOSURE_MAX = '45';

/** Where Docker's networks have their DNS server, of which the host alone can ask. */
const CONTAINER_DNS = '127.0.0.11';

// What the unit takes away, without systemd: capabilities, new privileges, and all of the file system but what it names.
const CONFINED = `set -e
capabilities=$1 writable=$2
shift 2
mkdir -p /run/wireguard
for path in /run/wireguard $writable; do [ ! -e "$path" ] || mount --bind "$path" "$path"; done
mount -t tmpfs tmpfs /tmp
for path in / /etc /run /opt /usr/local/sbin; do mount -o remount,bind,ro "$path"; done
exec setpriv --bounding-set "-all,$capabilities" --inh-caps=-all --no-new-privs "$@"`;

// They stand for systemd, and for the program that keeps the names of a machine's DNS servers.
const SYSTEMCTL = '#!/bin/sh\nexit 0\n';
const RESOLVCONF = '#!/bin/sh\necho "$@" >> /run/resolvconf/seen\ntest "$1" != -a || cat >> /run/resolvconf/seen\n';

describe.skipIf(problem !== null)('the service that keeps a host connected', () => {
  let scene: PackagedScene;
  let site: PackagedHost;
  let router: Namespace;
  let lan: Namespace;
  let unit = '';
  let id = 0;

  beforeAll(async () => {
    scene = await openPackagedScene();
    router = await scene.host('site', '198.18.0.30');
    lan = await scene.behind(router, 'lan', '198.19.2');
    await scene.serve(lan, '198.19.2.2', 'lan');
    // As Docker leaves it.
    if (HAS_IPTABLES) await router.exec('iptables', '-P', 'FORWARD', 'DROP');
    site = await scene.packagedHost(router);
    for (const [name, text] of Object.entries({ systemctl: SYSTEMCTL, resolvconf: RESOLVCONF })) {
      await site.run(['tee', `/usr/local/sbin/${name}`], text);
      await site.run(['chmod', '755', `/usr/local/sbin/${name}`]);
    }
    await site.run(['mkdir', '/run/resolvconf']);
    await startScript(router, dnsScript(CONTAINER_DNS, '198.19.2.2')).hear('ready\n');
    await site.run(['rm', '--force', '/etc/resolv.conf']);
    await site.run(['tee', '/etc/resolv.conf'], `nameserver ${CONTAINER_DNS}\n`);
    // A subnet that is not there yet: the administrator fixes it below.
    id = await scene.joinByCommand(site, 'site', '--gateway', '--interface', 'eth1', '--subnet', '198.19.3.0/24');
    // Which DNS servers a host asks is for the host to agree to.
    const agreed = await site.sallyport(['connect', '--allow-dns']);
    if (agreed.code !== 0) throw new Error(`The host did not connect: ${agreed.err}`);
    const installed = await site.sallyport(['service', 'install', '--every', '1']);
    if (installed.code !== 0) throw new Error(`The service was not installed: ${installed.err}`);
    unit = (await site.run(['cat', UNIT])).out;
  }, 300_000);
  afterAll(() => scene?.close(), 60_000);

  const setting = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';
  it.skipIf(!HAS_ANALYZER)('has a unit that systemd understands and takes for a guarded one', async () => {
    const verified = await site.run(['systemd-analyze', 'verify', '--man=no', UNIT]);
    expect(verified.err).not.toMatch(/sallyport\.service/);
    const weighed = await site.run([
      'systemd-analyze',
      'security',
      '--offline=yes',
      `--threshold=${EXPOSURE_MAX}`,
      UNIT,
    ]);
    expect(weighed).toMatchObject({ code: 0 });
  });

  it('follows the administrator with no more rights than the unit leaves, and forwards to the subnet', async () => {
    const capabilities = setting('CapabilityBoundingSet')
      .split(' ')
      .map((name) => name.toLowerCase().replace('cap_', '+'))
      .join(',');
    const writable = setting('ReadWritePaths').replaceAll('-/', '/');
    const command = setting('ExecStart').split(' ');
    const confined = ['sh', '-c', CONFINED, 'sh', capabilities, writable, ...command];
    const forwarded = async () => (await site.run(['iptables', '-S', 'FORWARD'])).out;
    const keeper = site.start(['unshare', '--mount', '--propagation', 'private', ...confined]);

    await scene.api(`PATCH /api/nodes/${id}/disable`);
    await keeper.until(/Node "site" is disabled by the administrator; disconnected\./);
    expect((await site.run(['ip', 'link', 'show', 'sallyport'])).code).not.toBe(0);

    const network = { interface: 'eth1', subnet: '198.19.2.0/24' };
    const changed = await scene.api(`PATCH /api/nodes/${id}`, { gatewayNetworks: [network], dns: '198.18.0.53' });
    expect(changed.status).toBe(200);
    await scene.api(`PATCH /api/nodes/${id}/enable`);
    await keeper.until(/Node "site" is connected\./);
    const body = { name: 'Lan', pathLocation: '/lan', backendHost: '198.19.2.2', backendPort: PORTS.http };
    expect((await scene.api(`POST /api/services/${id}/http`, body)).status).toBeLessThan(300);
    // The host hides where it comes from: the subnet knows no way back to the tunnel.
    await scene.served('/lan', /^lan http from 198\.19\.2\.1 200$/);
    // The host answers what the gateway asks for from its own resolver.
    const named = { name: 'Named', pathLocation: '/named', backendHost: 'web', backendPort: PORTS.http };
    expect((await scene.api(`POST /api/services/${id}/http`, named)).status).toBeLessThan(300);
    await scene.served('/named', /^lan http from 198\.19\.2\.1 200$/);
    const settings = ['ip_forward', 'conf/eth0/forwarding', 'conf/eth1/forwarding'];
    const forwarding = async () =>
      (await site.run(['cat', ...settings.map((name) => `/proc/sys/net/ipv4/${name}`)])).out;
    expect(await forwarding()).toBe('0\n0\n1\n');
    // It is no router for the networks around it, whatever its other rules let through.
    if (HAS_IPTABLES) await site.run(['iptables', '-P', 'FORWARD', 'ACCEPT']);
    await scene.outside.exec('ip', 'route', 'add', '198.19.2.0/24', 'via', '198.18.0.30');
    await scene.serve(scene.outside, '198.18.0.9', 'outside');
    const page = (from: Namespace, host: string, seconds?: number) => pageFrom(from, `${host}:${PORTS.http}`, seconds);
    expect(await page(lan, '198.18.0.9', SILENCE_SECONDS)).toBe('nothing');
    expect(await page(scene.outside, '198.19.2.2', SILENCE_SECONDS)).toBe('nothing');
    // What it routes of IPv6 goes on.
    await scene.outside.exec('ip', 'address', 'add', 'fd00:1::9/64', 'dev', 'eth0', 'nodad');
    await scene.outside.exec('ip', 'route', 'add', 'fd00:2::/64', 'via', 'fd00:1::30');
    await lan.exec('ip', 'address', 'add', 'fd00:2::2/64', 'dev', 'eth0', 'nodad');
    await lan.exec('ip', 'route', 'add', 'fd00:1::/64', 'via', 'fd00:2::1');
    await router.exec('ip', 'address', 'add', 'fd00:1::30/64', 'dev', 'eth0', 'nodad');
    await router.exec('ip', 'address', 'add', 'fd00:2::1/64', 'dev', 'eth1', 'nodad');
    await router.exec('sysctl', '-qw', 'net.ipv6.conf.all.forwarding=1');
    const answer = "require('node:http').createServer((_, reply) => reply.end('outside'))";
    const server = startScript(
      scene.outside,
      `${answer}.listen(${PORTS.http}, 'fd00:1::9', () => process.stdout.write('ready\\n'))`,
    );
    await server.hear('ready\n');
    expect(await page(lan, '[fd00:1::9]')).toBe('outside');
    if (HAS_IPTABLES) await site.run(['iptables', '-P', 'FORWARD', 'DROP']);
    expect((await site.run(['nft', 'list', 'table', 'inet', 'sallyport_sallyport'])).out).toMatch(
      /iifname "sallyport" oifname "eth1" ip daddr 198\.19\.2\.0\/24 .*accept[\s\S]*iifname "sallyport" drop/,
    );
    expect((await site.run(['cat', '/run/resolvconf/seen'])).out).toBe(
      '-a tun.sallyport -m 0 -x\nnameserver 198.18.0.53\n',
    );

    // New keys, made next to it.
    expect((await site.sallyport(['regenerate', '--force'])).code).toBe(0);
    await scene.served('/lan', / 200$/);

    // nginx and the tunnel go on without the gateway; so does the host.
    await scene.gateway.end('SIGKILL');
    await keeper.until(/Trying again in \d s\./);
    expect(await scene.visit('/lan')).toMatch(/^lan http .* 200$/);

    keeper.child.kill('SIGTERM');
    expect((await keeper.ended).code).toBe(0);
    expect((await site.run(['ip', 'link', 'show', 'sallyport'])).code).not.toBe(0);
    expect((await site.run(['nft', 'list', 'table', 'inet', 'sallyport_sallyport'])).code).not.toBe(0);
    expect(await forwarded()).toBe(HAS_IPTABLES ? '-P FORWARD DROP\n' : '');
    expect(await forwarding()).toBe('0\n0\n0\n');
    expect((await site.run(['cat', '/run/resolvconf/seen'])).out).toMatch(/-d tun\.sallyport[^\n]*\n$/);
    await scene.gateway.start();
  }, 300_000);
});
