import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dnsScript } from '../support/dnsServer.ts';
import { type Namespace, namespacesProblem } from '../support/namespaces.ts';
import {
  eventually,
  openTunnelScene,
  pageFrom,
  PORTS,
  SILENCE_SECONDS,
  startScript,
  type TunnelScene,
} from '../support/tunnelScene.ts';

const problem = await namespacesProblem();
if (problem !== null) process.stdout.write(`The rules of a gateway node are not tried: ${problem}.\n`);

/** Where a program is; null: nowhere. */
function whereIs(program: string, directories = process.env['PATH'] ?? ''): string | null {
  try {
    const answer = execFileSync('/bin/sh', ['-c', 'command -v "$0"', program], { env: { PATH: directories } });
    return answer.toString().trim();
  } catch {
    return null;
  }
}

/** Why this machine cannot try a firewall, in a sentence; null: it can. */
function refusalOf(program: string): string | null {
  if (whereIs(program) === null) return `${program} is missing`;
  if (problem !== null || program === 'nft') return problem;
  try {
    execFileSync('unshare', ['--net', program, '-w', '-t', 'nat', '-S'], { stdio: 'pipe' });
    return null;
  } catch (error) {
    return `this kernel refuses it (${String((error as { stderr?: Buffer }).stderr).trim()})`;
  }
}

/** Of each kind of firewall, the program, the name under which a host has it, and why it is not tried. */
const FIREWALLS = [
  { program: 'nft', name: 'nft', refusal: refusalOf('nft') },
  { program: 'iptables-nft', name: 'iptables', refusal: refusalOf('iptables-nft') },
  { program: 'iptables-legacy', name: 'iptables', refusal: refusalOf('iptables-legacy') },
];
for (const { program, refusal } of FIREWALLS) {
  if (refusal === null || problem !== null) continue;
  process.stdout.write(`A gateway node that has ${program} alone is not tried: ${refusal}.\n`);
}

/** A port that the node's own host publishes, as Docker does. */
const PUBLISHED = '8088';
/** Where no one answers: only what arrives is counted. */
const NOWHERE = '7';
const OUTSIDE = '198.18.0.9';

const setting = (name: string): string => `/proc/sys/net/ipv4/${name}`;

describe.skipIf(problem !== null)('a gateway node', () => {
  let scene: TunnelScene;
  const folders: string[] = [];
  beforeAll(async () => {
    scene = await openTunnelScene();
    await scene.serve(scene.outside, OUTSIDE, 'outside');
  }, 300_000);
  afterAll(async () => {
    await scene?.close();
    for (const folder of folders) rmSync(folder, { recursive: true });
  }, 60_000);

  /** Directories in which wg-quick finds what it needs, and these programs by these names. */
  function directoriesWith(programs: Record<string, string>): string {
    const folder = mkdtempSync(path.join(tmpdir(), 'sallyport-programs-'));
    folders.push(folder);
    for (const [name, program] of Object.entries({ ip: 'ip', ...programs })) {
      symlinkSync(whereIs(program) ?? program, path.join(folder, name));
    }
    const needed = ['wg-quick', 'wg', 'cat'].map((program) => path.dirname(whereIs(program) ?? '/usr/bin/none'));
    return [folder, ...new Set(needed)].join(':');
  }

  /** Joins as a gateway to the lower half of a network. */
  async function joinAsGateway(router: Namespace, network: string, programs: string) {
    const gatewayNetworks = [{ interface: 'eth1', subnet: `${network}.0/25` }];
    const { status, body } = await scene.api('POST /api/nodes', { name: network, isGateway: true, gatewayNetworks });
    expect(status).toBeLessThan(300);
    const joined = await scene.join(router, Number(body['id']), programs);
    const publicKey = (await router.exec('wg', 'show', joined.interface, 'public-key')).trim();
    return { id: Number(body['id']), address: String(body['address']), publicKey, joined };
  }

  /** All rules of a host, no matter who made them, without what is counted. */
  async function rulesOf(host: Namespace): Promise<string> {
    const legacy = FIREWALLS.some(({ program, refusal }) => program === 'iptables-legacy' && refusal === null);
    const all = [await host.exec('nft', 'list', 'ruleset'), legacy ? await host.exec('iptables-legacy-save') : ''];
    return all.join('\n').replaceAll(/^#.*$|\[\d+:\d+\]|counter packets \d+ bytes \d+/gm, '');
  }

  /** As on a host with Docker: one port of it leads to a container, and nothing else is forwarded. */
  async function publish(host: Namespace, program: string, to: string): Promise<void> {
    if (program === 'nft') {
      const chain = `chain pre { type nat hook prerouting priority -100; tcp dport ${PUBLISHED} dnat to ${to}:${PORTS.http}; }`;
      await host.exec('nft', `table ip docker { ${chain}; }`);
      return;
    }
    const rules = [
      '-P FORWARD DROP',
      '-A FORWARD -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT',
      `-A FORWARD -o eth1 -d ${to} -p tcp --dport ${PORTS.http} -j ACCEPT`,
      `-t nat -A PREROUTING -p tcp --dport ${PUBLISHED} -j DNAT --to-destination ${to}:${PORTS.http}`,
      '-t nat -N DOCKER',
      '-t nat -A POSTROUTING -j DOCKER',
    ];
    for (const rule of rules) await host.exec(program, '-w', ...rule.split(' '));
  }

  const watch = (where: Namespace, rule: string): Promise<string> =>
    where.exec('nft', `table ip watch { chain in { type filter hook prerouting priority -300; ${rule} counter; }; }`);
  const arrived = async (where: Namespace): Promise<number> =>
    Number(/packets (\d+)/.exec(await where.exec('nft', 'list', 'table', 'ip', 'watch'))?.[1]);
  const hasArrived = (where: Namespace): Promise<number> =>
    eventually(
      () => arrived(where),
      (packets) => packets > 0,
    );

  for (const [index, { program, name, refusal }] of FIREWALLS.entries()) {
    it.skipIf(refusal !== null)(
      `that has ${program} alone hands on to its subnet and nowhere else, and leaves no rule behind`,
      async () => {
        const network = `198.19.${index + 2}`;
        const [listed, unlisted] = [`${network}.2`, `${network}.200`];
        const router = await scene.host(`site${index}`, `198.18.0.${index + 30}`);
        const lan = await scene.behind(router, `lan${index}`, network);
        await lan.exec('ip', 'address', 'add', `${unlisted}/24`, 'dev', 'eth0');
        await scene.serve(lan, listed, 'listed');
        await scene.serve(lan, unlisted, 'unlisted');
        await publish(router, program, unlisted);
        const before = await rulesOf(router);
        const programs = directoriesWith({ [name]: program });
        expect(['nft', 'iptables'].filter((each) => whereIs(each, programs) !== null)).toEqual([name]);

        const { id, address, publicKey, joined } = await joinAsGateway(router, network, programs);
        expect(await rulesOf(router)).not.toBe(before);
        const service = { pathLocation: `/${program}`, backendHost: listed, backendPort: PORTS.http };
        expect((await scene.api(`POST /api/services/${id}/http`, { name: program, ...service })).status).toBe(200);
        // The subnet knows no way back to the tunnel: its node's own address stands for it.
        expect(await scene.visit(`/${program}`)).toBe(`listed http from ${network}.1 200`);
        // What the host publishes itself stays published, also for the gateway.
        expect(await pageFrom(scene.home, `${address}:${PUBLISHED}`)).toMatch(/^unlisted http from /);

        // As on a host that forwards whatever comes: what is refused now, the node's own rules refuse.
        if (name === 'iptables') await router.exec(program, '-w', '-P', 'FORWARD', 'ACCEPT');
        // What comes out of the tunnel for a host that is not in the subnet gets as far as the node.
        const allowed = `${address}/32,${network}.0/25,${unlisted}/32`;
        await scene.home.exec('wg', 'set', scene.tunnel, 'peer', publicKey, 'allowed-ips', allowed);
        await scene.home.exec('ip', 'route', 'add', unlisted, 'dev', scene.tunnel);
        await scene.home.exec('ip', 'rule', 'add', 'to', unlisted, 'lookup', 'main', 'priority', '100');
        await watch(router, `iifname "${joined.interface}" ip daddr ${unlisted}`);
        expect(await pageFrom(scene.home, `${unlisted}:${PORTS.http}`, SILENCE_SECONDS)).toBe('nothing');
        await hasArrived(router);
        await router.exec('nft', 'delete', 'table', 'ip', 'watch');

        // Nor does the subnet begin anything towards the gateway.
        await watch(router, `iifname "eth1" tcp dport ${NOWHERE}`);
        await watch(scene.home, `iifname "${scene.tunnel}" tcp dport ${NOWHERE}`);
        expect(await pageFrom(lan, `10.88.0.1:${NOWHERE}`, SILENCE_SECONDS)).toBe('nothing');
        await hasArrived(router);
        expect(await arrived(scene.home)).toBe(0);
        for (const where of [router, scene.home]) await where.exec('nft', 'delete', 'table', 'ip', 'watch');

        // Nor has it become a router for the networks around it.
        await scene.outside.exec('ip', 'route', 'add', `${network}.0/24`, 'via', `198.18.0.${index + 30}`);
        const across = [
          [lan, OUTSIDE],
          [scene.outside, listed],
        ] as const;
        const routed = (seconds?: number) =>
          Promise.all(across.map(([from, to]) => pageFrom(from, `${to}:${PORTS.http}`, seconds)));
        expect(await routed(SILENCE_SECONDS)).toEqual(['nothing', 'nothing']);
        const forwarding = async (): Promise<string> =>
          router.exec('cat', ...['ip_forward', 'conf/eth0/forwarding', 'conf/eth1/forwarding'].map(setting));
        expect(await forwarding()).toBe('0\n0\n1\n');
        await joined.down();
        expect(await forwarding()).toBe('0\n0\n0\n');

        // One that is a router already stays one.
        await router.exec('sysctl', '-qw', 'net.ipv4.ip_forward=1');
        await router.exec('env', `PATH=${programs}`, 'wg-quick', 'up', joined.file);
        expect(await routed()).toEqual([`outside http from ${network}.2`, `listed http from ${OUTSIDE}`]);
        await joined.down();
        expect(await forwarding()).toBe('1\n1\n1\n');
        if (name === 'iptables') await router.exec(program, '-w', '-P', 'FORWARD', 'DROP');
        expect(await rulesOf(router)).toBe(before);
        expect(await router.exec('ip', '-o', 'link', 'show')).not.toContain(joined.interface);
      },
    );
  }

  it('that joined by its file has names looked up at the DNS server that it is given, in its subnet', async () => {
    const [network, server] = ['198.19.8', '198.19.8.2'];
    const router = await scene.host('named', '198.18.0.41');
    const lan = await scene.behind(router, 'namedLan', network);
    await scene.serve(lan, server, 'named');
    await startScript(lan, dnsScript(server)).hear('ready\n');
    const { id, address } = await joinAsGateway(router, network, process.env['PATH'] ?? '');
    const service = { name: 'named', pathLocation: '/named', backendHost: 'web.lan', backendPort: PORTS.http };
    const { body } = await scene.api(`POST /api/services/${id}/http`, service);
    const problemOf = async () =>
      String((await scene.api(`GET /api/services/${id}/http/${String(body['id'])}`)).body['problem']);
    await eventually(problemOf, (text) => text.includes(`no resolver answers at ${address}`));
    expect((await scene.api(`PATCH /api/nodes/${id}`, { resolver: server })).status).toBe(200);
    await eventually(
      () => scene.visit('/named'),
      (page) => page === `named http from ${network}.1 200`,
    );
    expect(await problemOf()).toBe('null');
  });

  it('that has no firewall is not connected, and says what to install', async () => {
    const router = await scene.host('bare', '198.18.0.40');
    const before = await router.exec('ip', '-o', 'link', 'show');
    await scene.behind(router, 'bareLan', '198.19.9');
    await expect(joinAsGateway(router, '198.19.9', directoriesWith({}))).rejects.toThrow(
      /A gateway node needs nftables or iptables\. Install one of them, then connect again\./,
    );
    expect((await router.exec('ip', '-o', 'link', 'show', 'type', 'tun')).trim()).toBe('');
    expect(before).not.toContain('tun');
  });
});
