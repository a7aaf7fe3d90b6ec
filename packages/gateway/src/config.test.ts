import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from './config.ts';
import { StartError } from './machine/startError.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

describe('the settings', () => {
  it('have defaults that need no network', () => {
    expect(readConfig({})).toMatchObject({
      listen: { host: '127.0.0.1', port: 3000 },
      ports: { console: 9443, http: null, https: null },
      admin: { username: 'admin', password: null },
      vpn: { port: 51_820, subnet: '10.88.0.0/16' },
      tcpPorts: { from: 20_000, to: 20_999 },
      nodeLimits: { services: 200, publicPorts: 50, listEntries: 1000 },
      logHistoryBytes: 10_000_000,
    });
  });

  it('are read from the environment', () => {
    const config = readConfig({
      SALLYPORT_DATA: '/data',
      SALLYPORT_LISTEN: '[::1]:4000',
      SALLYPORT_HTTPS_PORT: '8443',
      SALLYPORT_ADMIN_PASSWORD: 'correct horse',
      SALLYPORT_VPN_HOST: '',
    });
    expect(config).toMatchObject({
      dataDirectory: '/data',
      listen: { host: '::1', port: 4000 },
      ports: { https: 8443 },
    });
    expect(config.admin.password?.reveal()).toBe('correct horse');
    expect(config.vpn.host).not.toBe('');
    expect(config.vpn.isHostGiven).toBe(false);
    expect(readConfig({ SALLYPORT_HOST_NAMES: 'Box.lan, box.local' }).hostNames).toEqual(['box.lan', 'box.local']);
    const SALLYPORT_DNS_SERVERS = '192.0.2.53, 2001:db8::53 [2001:db8::53]:5353,localhost:53';
    expect(readConfig({ SALLYPORT_DNS_SERVERS }).dnsServers).toEqual([
      '192.0.2.53',
      '2001:db8::53',
      '[2001:db8::53]:5353',
      '127.0.0.1:53',
    ]);
    expect(readConfig({ SALLYPORT_VPN_HOST: 'gw' }).vpn).toMatchObject({ host: 'gw', isHostGiven: true });
    const limits = { SALLYPORT_NODE_SERVICES: '7', SALLYPORT_NODE_PORTS: '0', SALLYPORT_NODE_LIST_ENTRIES: '999999' };
    expect(readConfig(limits).nodeLimits).toEqual({ services: 7, publicPorts: 0, listEntries: 999_999 });
  });

  it('take secrets out of files, whose last line break is none of theirs', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sallyport-secrets-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const config = readConfig({
      SALLYPORT_ADMIN_PASSWORD_FILE: file('password', ' correct horse \n'),
      SALLYPORT_OIDC_CLIENT_SECRET_FILE: file('secret', 'staple'),
    });
    expect(config.admin.password?.reveal()).toBe(' correct horse ');
    expect(config.oidc.clientSecret?.reveal()).toBe('staple');
    const password = join(folder, 'password');
    expect(() =>
      readConfig({ SALLYPORT_ADMIN_PASSWORD: 'correct horse', SALLYPORT_ADMIN_PASSWORD_FILE: password }),
    ).toThrow(/^SALLYPORT_ADMIN_PASSWORD and SALLYPORT_ADMIN_PASSWORD_FILE are both set/);
    for (const [given, reason] of [
      [join(folder, 'none'), /^SALLYPORT_ADMIN_PASSWORD_FILE: .* cannot be read \(ENOENT\)/],
      [file('short', 'short\n'), /^SALLYPORT_ADMIN_PASSWORD must have at least 8 characters/],
      [file('empty', ''), /^SALLYPORT_ADMIN_PASSWORD must have/],
      ['password', /^SALLYPORT_ADMIN_PASSWORD_FILE must be an absolute path/],
    ] as const) {
      expect(() => readConfig({ SALLYPORT_ADMIN_PASSWORD_FILE: given })).toThrow(reason);
    }
  });

  it('trust no proxy whose network has addresses of nodes', () => {
    const SALLYPORT_TRUSTED_PROXIES = '192.0.2.10, 10.0.0.0/8';
    expect(() => readConfig({ SALLYPORT_TRUSTED_PROXIES })).toThrow(
      /^SALLYPORT_TRUSTED_PROXIES must not have 10\.0\.0\.0\/8: .*SALLYPORT_VPN_SUBNET, 10\.88\.0\.0\/16\).* Name the addresses/,
    );
    const trustedProxies = ['192.0.2.10/32', '10.0.0.0/8'];
    expect(readConfig({ SALLYPORT_TRUSTED_PROXIES, SALLYPORT_VPN_SUBNET: '172.30.0.0/24' })).toMatchObject({
      trustedProxies,
    });
    expect(readConfig({ SALLYPORT_TRUSTED_PROXIES, SALLYPORT_TUNNEL: 'off' })).toMatchObject({ trustedProxies });
    expect(readConfig({})).toMatchObject({ trustedProxies: [], publicHttpsPort: null });
  });

  it('never print a secret', () => {
    const config = readConfig({ SALLYPORT_ADMIN_PASSWORD: 'correct horse', SALLYPORT_OIDC_CLIENT_SECRET: 'staple' });
    expect(JSON.stringify(config)).not.toMatch(/horse|staple/);
  });

  it.each([
    ['SALLYPORT_KEY_FILE', 'vault.key'],
    ['SALLYPORT_LISTEN', 'here'],
    ['SALLYPORT_LISTEN', '127.0.0.1:99999'],
    ['SALLYPORT_CONSOLE_PORT', '0'],
    ['SALLYPORT_HTTP_PORT', '80a'],
    ['SALLYPORT_ADMIN_PASSWORD', ''],
    ['SALLYPORT_ADMIN_PASSWORD', 'short'],
    ['SALLYPORT_VPN_HOST', 'http://x'],
    ['SALLYPORT_HOST_NAMES', 'box.lan, http://x'],
    ['SALLYPORT_HOST_NAMES', '192.0.2.1'],
    ['SALLYPORT_DNS_SERVERS', '192.0.2.53, dns.example.test'],
    ['SALLYPORT_DNS_SERVERS', '192.0.2.53:0'],
    ['SALLYPORT_TRUSTED_PROXIES', 'proxy.example.test'],
    ['SALLYPORT_TRUSTED_PROXIES', '0.0.0.0/0'],
    ['SALLYPORT_TRUSTED_PROXIES', '10.88.0.7'],
    ['SALLYPORT_PUBLIC_HTTPS_PORT', '0'],
    ['SALLYPORT_VPN_SUBNET', '10.0.0.0/31'],
    ['SALLYPORT_VPN_SUBNET', 'fd00::/64'],
    ['SALLYPORT_VPN_INTERFACE', 'a/b'],
    ['SALLYPORT_TCP_PORTS', '30000-20000'],
    ['SALLYPORT_LOG_HISTORY_MB', '0'],
    ['SALLYPORT_LOG_HISTORY_MB', '1.5'],
    ['SALLYPORT_LOG_HISTORY_MB', '100001'],
    ['SALLYPORT_ACME_URL', 'file:///etc'],
    ['SALLYPORT_ACME_EMAIL', '--help'],
    ['SALLYPORT_LOG_LEVEL', 'loud'],
  ])('refuse %s=%s in one sentence that names it', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(StartError);
    expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^${name} must [^.]+(\\.[^.]+)*\\.$`));
  });

  it.each([
    ['SALLYPORT_LISTEN', '127.0.0.1:20000'],
    ['SALLYPORT_CONSOLE_PORT', '20999'],
    ['SALLYPORT_HTTP_PORT', '20080'],
    ['SALLYPORT_HTTPS_PORT', '20443'],
    ['SALLYPORT_VPN_PORT', '20500'],
  ])('refuse %s=%s, a port that a service may have', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^${name} must be outside of SALLYPORT_TCP_PORTS`));
    expect(() => readConfig({ [name]: value, SALLYPORT_TCP_PORTS: '30000-30999' })).not.toThrow();
  });

  it('leave the port of a tunnel that is off to services', () => {
    expect(() => readConfig({ SALLYPORT_VPN_PORT: '20500', SALLYPORT_TUNNEL: 'off' })).not.toThrow();
  });
});
