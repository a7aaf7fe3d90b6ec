import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testTunnelServer as server } from '../../testing/fakeTunnel.ts';
import { type ClientNode, wireguardClient, wireguardClientText, wireguardFileName } from './wireguardClient.ts';

const works = (command: string, args: readonly string[]): boolean => spawnSync(command, args).status === 0;
const HAS_WG_QUICK = works('sh', ['-c', 'command -v wg-quick wg']);
const HAS_NAMESPACE = works('unshare', ['--net', 'nft', 'list', 'ruleset']);
if (!HAS_WG_QUICK) process.stderr.write('skipped: wg-quick is not installed (package wireguard-tools)\n');
if (!HAS_NAMESPACE) process.stderr.write('skipped: rules of a gateway node need nft and network namespaces, so root\n');

const KEYS = { privateKey: `${'a'.repeat(42)}A=`, presharedKey: `${'b'.repeat(42)}A=` };
const NODE: ClientNode = {
  id: 7,
  address: '10.88.0.7',
  dns: null,
  keepalive: 10,
  allowInternet: false,
  isGateway: false,
  gatewayNetworks: null,
};
const GATEWAY: Partial<ClientNode> = {
  isGateway: true,
  gatewayNetworks: [
    { interface: 'eth0', subnet: '198.18.7.0/24' },
    { interface: 'br-lan.7', subnet: '198.18.9.8/30' },
  ],
};

describe.runIf(HAS_WG_QUICK)('wg-quick', () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'sallyport-wg-'));
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  it.each<[string, Partial<ClientNode>, Partial<typeof server>]>([
    ['of a plain node', {}, {}],
    ['with every option', { dns: '192.0.2.53, 2001:db8::53', allowInternet: true, ...GATEWAY }, { mtu: 1380 }],
    ['without keepalive, over IPv6', { keepalive: 0 }, { host: '2001:db8::1' }],
    ['of the highest id', { id: 999_999_999_999 }, {}],
  ])('reads the file %s', (_, node, end) => {
    const parts = wireguardClient({ ...NODE, ...node }, KEYS, { ...server, ...end });
    const file = join(directory, wireguardFileName(node.id ?? NODE.id));
    writeFileSync(file, wireguardClientText(parts, 'wg-quick'), { mode: 0o600 });
    const stripped = execFileSync('wg-quick', ['strip', file], { encoding: 'utf8' });
    // What is left is WireGuard's own: wg-quick has understood all the rest.
    expect(stripped.split('\n').map((line) => line.split(' = ')[0])).toEqual([
      '[Interface]',
      'PrivateKey',
      '',
      '[Peer]',
      'PublicKey',
      'PresharedKey',
      'AllowedIPs',
      'Endpoint',
      'PersistentKeepalive',
      '',
      ...(stripped.endsWith('\n\n') ? [''] : []),
    ]);
  });
});

/** Runs commands as wg-quick would, for the interface `sp-7`, in a network of their own. */
function runHooks(hooks: readonly string[]): string {
  const script = [
    'set -e -o pipefail',
    'shopt -s extglob',
    'for device in sp-7 eth0 br-lan.7; do ip link add $device type bridge; done',
    'echo 0 > /proc/sys/net/ipv4/ip_forward',
    ...hooks.map((hook) => `(${hook.replaceAll('%i', 'sp-7')})`),
  ];
  return execFileSync('unshare', ['--net', 'bash', '-c', script.join('\n')], { encoding: 'utf8', stdio: 'pipe' });
}

describe.runIf(HAS_NAMESPACE)('the rules of a gateway node', () => {
  const { postUp, postDown } = wireguardClient({ ...NODE, ...GATEWAY }, KEYS, server);
  // Whether there is iptables here or not, this is about hosts that have none.
  const withoutIptables = (hook: string) => `iptables() { return 1; }; ${hook}`;
  const up = postUp.map(withoutIptables);
  const down = postDown.map(withoutIptables);

  const forwarding = 'cd /proc/sys/net/ipv4; cat ip_forward conf/eth0/forwarding conf/br-lan.7/forwarding';

  it('stand once, however often they are put up, and packets are handed on', () => {
    const rules = runHooks([...up, ...up, `nft list ruleset; ${forwarding}`]);
    expect(rules.match(/^table /gm)).toHaveLength(1);
    expect(rules).toContain('table ip sallyport_sp_7 {');
    expect(rules.match(/accept$/gm)).toHaveLength(4);
    expect(rules).toContain('iifname "sp-7" oifname "br-lan.7" ip saddr 10.88.0.0/16 ip daddr 198.18.9.8/30 accept');
    expect(rules.match(/masquerade$/gm)).toHaveLength(2);
    expect(rules.match(/iifname "[^"]*" drop$/gm)).toEqual(
      ['sp-7', 'eth0', 'br-lan.7'].map((device) => `iifname "${device}" drop`),
    );
    expect(rules).toMatch(/\n0\n1\n1\n$/);
  });

  it('turn off what they turned on, and nothing that the host was told itself', () => {
    const turnOn = (name: string) => `echo 1 > /proc/sys/net/ipv4/${name}`;
    expect(runHooks([...up, ...up, ...down, forwarding])).toBe('0\n0\n0\n');
    expect(runHooks([turnOn('conf/eth0/forwarding'), ...up, ...down, forwarding])).toBe('0\n1\n0\n');
    expect(runHooks([turnOn('ip_forward'), ...up, ...down, forwarding])).toBe('1\n1\n1\n');
    expect(runHooks([...up, turnOn('ip_forward'), ...down, forwarding])).toBe('1\n1\n1\n');
  });

  it('wait for an interface that is not there yet', () => {
    const rules = runHooks(['ip link delete eth0', ...up, 'nft list ruleset']);
    expect(rules).not.toMatch(/iifname "eth0" drop/);
  });

  it('come down whole, and leave what is someone else’s', () => {
    const foreign = 'nft add table ip mine';
    expect(runHooks([foreign, ...up, ...down, 'nft list ruleset'])).toBe('table ip mine {\n}\n');
    // Also when there is nothing to take down.
    expect(runHooks([...down, 'nft list ruleset'])).toBe('');
  });
});
