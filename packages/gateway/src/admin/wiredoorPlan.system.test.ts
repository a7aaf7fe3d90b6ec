import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../config.ts';
import { makeWiredoorDirectory, WIREDOOR_LOCAL, type WiredoorRows } from '../testing/wiredoorDirectory.ts';
import { readWiredoor } from './wiredoorDatabase.ts';
import { planWiredoor } from './wiredoorPlan.ts';

const SETTINGS = {
  SALLYPORT_VPN_HOST: 'vpn.example.test',
  SALLYPORT_VPN_SUBNET: '10.0.0.0/24',
  SALLYPORT_HTTPS_PORT: '443',
  SALLYPORT_WIREDOOR_CLIENTS: 'on',
  SALLYPORT_TCP_PORTS: '32760-32767',
};
const NOW = new Date('2026-11-27T12:00:00Z');

let base: string;
let made = 0;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'sallyport-wiredoor-'));
});
afterAll(() => rmSync(base, { recursive: true }));

const directoryOf = (rows: WiredoorRows) => makeWiredoorDirectory(join(base, String((made += 1))), rows);
const planOf = (rows: WiredoorRows, settings: NodeJS.ProcessEnv = SETTINGS) =>
  planWiredoor(readWiredoor(directoryOf(rows).path), readConfig(settings), {
    routes: [{ network: '192.0.2.0/24', device: 'eth0' }],
    used: [],
    now: NOW,
  });
const EDGE = 2;
const edge = { name: 'edge' };
const domain = (name: string, more = {}) => ({ domain: name, skipValidation: 1, ...more });
const web = (more = {}) => ({ name: 'web', domain: 'app.example.test', nodeId: EDGE, backendPort: 8080, ...more });
/** What becomes of one HTTP service. */
const oneOf = (service: object, more: WiredoorRows = {}) => {
  const { services, left } = planOf({
    nodes: [edge],
    domains: [domain('app.example.test')],
    ...more,
    http_services: [web(service)],
  });
  return services[0] ?? left[0];
};

describe('a plan of a Wiredoor server', () => {
  it('takes over its nodes, domains, services and tokens', () => {
    const plan = planOf({
      nodes: [
        { ...edge, keepalive: 15, dns: '192.0.2.53', allowInternet: 1 },
        { name: 'site', isGateway: 1, gatewayNetworks: [{ interface: 'eth1', subnet: '198.51.100.0/24' }], enabled: 0 },
      ],
      domains: [domain('app.example.test'), domain('issued.example.test', { ssl: 'certbot', skipValidation: 0 })],
      http_services: [
        web({ allowedIps: ['203.0.113.0/24'], expiresAt: '2026-12-01 10:00:00.000' }),
        web({ domain: null, pathLocation: '/lan', nodeId: 3, backendHost: '198.51.100.7', backendProto: 'https' }),
        web({ domain: null, pathLocation: '/name', nodeId: 3, backendHost: 'nas' }),
        web({ domain: 'only.example.test', nodeId: WIREDOOR_LOCAL, backendHost: 'nas.lan' }),
      ],
      tcp_services: [{ name: 'ssh', nodeId: EDGE, backendPort: 22, port: 32_761, backendHost: 'ignored' }],
      tokens: [
        { nodeId: EDGE },
        { nodeId: EDGE, revoked: 1 },
        { nodeId: EDGE, expireAt: '2026-11-01 00:00:00.000' },
        { nodeId: EDGE, expireAt: 'soon' },
        { nodeId: 3, name: 'ci', expireAt: '2027-01-01 00:00:00.000' },
        { nodeId: 77 },
      ],
    });
    expect(plan.settings).toEqual([]);
    expect(plan.nodes).toMatchObject([
      {
        form: {
          name: 'edge',
          address: '10.0.0.2',
          keepalive: 15,
          dns: '192.0.2.53',
          allowInternet: true,
          isGateway: false,
        },
        isEnabled: true,
        tokens: [{ id: 1, name: 'default', expireAt: null }],
      },
      {
        form: { name: 'site', gatewayNetworks: [{ interface: 'eth1', subnet: '198.51.100.0/24' }] },
        isEnabled: false,
        tokens: [{ id: 5, name: 'ci', expireAt: '2027-01-01T00:00:00.000Z' }],
      },
    ]);
    expect(plan.domains.map(({ form }) => [form.domain, form.ssl, form.reserved])).toEqual([
      ['app.example.test', 'self-signed', true],
      ['issued.example.test', 'certbot', true],
      ['only.example.test', 'self-signed', true],
    ]);
    expect(plan.services).toMatchObject([
      {
        form: { domain: 'app.example.test', backendHost: null, backendPort: 8080, allowedIps: ['203.0.113.0/24'] },
        expiresAt: '2026-12-01T10:00:00.000Z',
        closed: null,
      },
      {
        form: { domain: null, pathLocation: '/lan', backendHost: '198.51.100.7', backendProto: 'https' },
        closed: null,
      },
      { form: { pathLocation: '/name', backendHost: 'nas' }, closed: null, notes: [] },
      { form: { domain: 'only.example.test', backendHost: 'nas.lan' }, closed: null },
      { kind: 'tcp', port: 32_761, form: { backendHost: null, backendPort: 22 }, closed: null },
    ]);
    expect(plan.left).toMatchObject([{ what: 'Wiredoor_APP' }, { why: expect.stringContaining('/.env') }]);
  });

  it('names each setting with which nodes would not go on', () => {
    const tcp_services = [{ name: 'ssh', nodeId: EDGE, backendPort: 22, port: 32_761 }];
    const http_services = [{ name: 'Wiredoor_APP', nodeId: WIREDOOR_LOCAL, domain: 'Wire.example.test' }];
    const wg_interfaces = { subnet: '10.7.0.0/16', address: '10.7.0.1/24', port: '51999' };
    const { settings } = planOf(
      { nodes: [edge], tcp_services, http_services, wg_interfaces },
      { SALLYPORT_TUNNEL: 'off' },
    );
    expect(settings.map(({ name, value, isRequired }) => [name, value, isRequired])).toEqual([
      ['SALLYPORT_VPN_HOST', 'NAME', true],
      ['SALLYPORT_VPN_SUBNET', '10.7.0.0/16', true],
      ['SALLYPORT_VPN_PORT', '51999', true],
      ['SALLYPORT_TUNNEL', 'on', true],
      ['SALLYPORT_HTTPS_PORT', '443', true],
      ['SALLYPORT_WIREDOOR_CLIENTS', 'on', true],
      ['SALLYPORT_HOST_NAMES', 'wire.example.test', true],
      ['SALLYPORT_TCP_PORTS', '32761-32761', false],
    ]);
  });

  const signIn = { oauth2ServicePort: 4180, oauth2Config: { allowedEmails: ['ann@example.test'] } };
  const withSignIn = (more: object) => ({ domains: [domain('app.example.test', { ...signIn, ...more })] });
  it.each<[string, object, WiredoorRows, object]>([
    ['a sign-in of its domain', { requireAuth: 1 }, withSignIn({}), { closed: null, form: { requireAuth: true } }],
    ['a sign-in that its domain does not have', { requireAuth: 1 }, {}, { closed: expect.stringContaining('sign-in') }],
    ['a sign-in of no domain', { requireAuth: 1, domain: null }, {}, { closed: expect.stringContaining('sign-in') }],
    [
      'a sign-in of people who are not named',
      { requireAuth: 1 },
      withSignIn({ oauth2Config: { allowedEmails: [] } }),
      { closed: expect.stringContaining('OAUTH2_PROXY') },
    ],
    [
      'a sign-in of people who cannot be read',
      { requireAuth: 1 },
      withSignIn({ oauth2Config: '{"allowedEmails":' }),
      { closed: expect.stringContaining('OAUTH2_PROXY'), form: { requireAuth: true } },
    ],
    ['a flag that is none', { requireAuth: 'yes' }, {}, { closed: expect.stringContaining('sign-in') }],
    ['a list that cannot be read', { allowedIps: '["203.0.113.' }, {}, { form: { blockedIps: ['0.0.0.0/0', '::/0'] } }],
    [
      'a list with no address',
      { allowedIps: ['203.0.113.7', 'home'] },
      {},
      { closed: expect.stringContaining('list') },
    ],
    ['a list of blanks', { blockedIps: [''] }, {}, { form: { allowedIps: null, blockedIps: ['0.0.0.0/0', '::/0'] } }],
    ['being disabled', { enabled: 0 }, {}, { closed: 'it was disabled there' }],
    ['the end of its time', { expiresAt: '2026-11-27 11:59:00.000' }, {}, { closed: 'its time to live is over' }],
    ['a time that cannot be read', { expiresAt: 'later' }, {}, { closed: expect.stringContaining('time to live') }],
  ])('opens nothing that was protected by %s', (_, service, more, expected) => {
    expect(oneOf(service, more)).toMatchObject(expected);
  });

  it('leaves paths without a sign-in only where they can be read', () => {
    const open = (skipAuthRoutes: string) => oneOf({ requireAuth: 1, skipAuthRoutes }, withSignIn({}));
    expect(open('/health\n^/public/')).toMatchObject({ form: { skipAuthRoutes: '/health\n^/public/' }, notes: [] });
    for (const lines of ['^/(?=a)', '/a;b', '/x\n^(']) {
      expect(open(lines)).toMatchObject({
        form: { skipAuthRoutes: null, requireAuth: true },
        notes: [expect.anything()],
      });
    }
  });

  it('takes the addresses that may reach the console, and closes it to others where they cannot be read', () => {
    const consoleOf = (more: object) =>
      planOf({ http_services: [{ name: 'Wiredoor_APP', nodeId: WIREDOOR_LOCAL, ...more }] }).console;
    expect(consoleOf({ allowedIps: ['203.0.113.7'] })).toMatchObject({ allowedIps: ['203.0.113.7'], blockedIps: null });
    expect(consoleOf({ allowedIps: '[' })).toMatchObject({ blockedIps: ['0.0.0.0/0', '::/0'] });
  });

  it('has no domain for a name of the gateway, nor a service where its clients call', () => {
    const { domains, services, left } = planOf({
      nodes: [edge],
      domains: [domain('vpn.example.test'), domain('bad_name'), domain('app.example.test')],
      http_services: [
        web({ domain: 'vpn.example.test', pathLocation: '/wiki' }),
        web({ domain: null, pathLocation: '/wiki' }),
        web({ domain: null, pathLocation: '/api/cli' }),
        web({ domain: 'bad_name' }),
        web({ enabled: 0 }),
        web({ pathLocation: '/' }),
      ],
    });
    expect(domains.map(({ form }) => form.domain)).toEqual(['app.example.test']);
    expect(services.map(({ form, closed }) => [form.domain, closed])).toEqual([
      [null, null],
      ['app.example.test', null],
    ]);
    expect(left.map(({ what }) => what)).toEqual([
      'domain vpn.example.test',
      'domain bad_name',
      'https://vpn.example.test/wiki',
      'https://vpn.example.test/api/cli',
      'https://bad_name/',
      'https://app.example.test/',
      'Wiredoor_APP',
      'what Wiredoor itself did for every domain',
    ]);
  });

  it('leaves nodes that cannot go on, with their services, and networks that this machine needs', () => {
    const network = (subnet: string, device = 'eth0') => ({
      isGateway: 1,
      gatewayNetworks: [{ interface: device, subnet }],
    });
    const plan = planOf({
      nodes: [
        { name: 'no key', publicKey: 'x' },
        { name: 'other key', publicKey: makeWiredoorDirectory(join(base, 'other')).server.publicKey },
        { name: 'elsewhere', address: '10.9.0.4' },
        { name: 'of this machine', ...network('192.0.2.0/25') },
        { name: 'hostile', ...network('198.51.100.0/24', 'eth0; reboot') },
        { name: 'LOCAL' },
        { name: 'local', address: '10.0.0.77', dns: '$(reboot)', keepalive: 9999 },
      ],
      http_services: [
        web({ nodeId: 2 }),
        web({ nodeId: 5, domain: null, pathLocation: '/lan', backendHost: '192.0.2.9' }),
      ],
    });
    expect(plan.left.map(({ what }) => what)).toEqual([
      'node "no key"',
      'node "other key"',
      'node "elsewhere"',
      'https://app.example.test/',
      'https://vpn.example.test/lan',
      'Wiredoor_APP',
    ]);
    expect(plan.nodes.map(({ form }) => [form.name, form.isGateway, form.dns, form.keepalive])).toEqual([
      ['of this machine', false, null, 25],
      ['hostile', false, null, 25],
      ['LOCAL-2', false, null, 25],
      ['local-3', false, null, 25],
    ]);
  });

  it('takes names that would trick a terminal as plain ones', () => {
    const plan = planOf({
      nodes: [{ name: '\u001b[2J\u202eevil\n' }, { name: ' ' }],
      http_services: [web({ name: '\u0007', domain: null })],
    });
    expect(plan.nodes.map(({ form }) => form.name)).toEqual(['[2Jevil', 'node 3']);
    expect(plan.services.map(({ form }) => form.name)).toEqual(['service']);
  });

  it('holds no secret when it is printed', () => {
    const directory = directoryOf({ nodes: [edge], tokens: [{ nodeId: EDGE }] });
    const plan = planWiredoor(readWiredoor(directory.path), readConfig(SETTINGS), { routes: [], used: [], now: NOW });
    expect(plan.tokenKey).not.toBeNull();
    const text = JSON.stringify(plan);
    const { privateKey, presharedKey } = directory.keysOf(EDGE);
    for (const secret of [directory.server.privateKey, privateKey, presharedKey]) expect(text).not.toContain(secret);
  });

  it('goes on without the key of the tokens, and says so', () => {
    const { path } = directoryOf({ nodes: [edge], tokens: [{ nodeId: EDGE }] });
    rmSync(join(path, '.key'));
    const plan = planWiredoor(readWiredoor(path), readConfig(SETTINGS), { routes: [], used: [], now: NOW });
    expect(plan).toMatchObject({ tokenKey: null, nodes: [{ tokens: [] }] });
    expect(plan.left).toMatchObject([{ why: expect.stringContaining('.key') }, { what: 'Wiredoor_APP' }]);
  });
});

describe('a directory that is no Wiredoor server’s', () => {
  const reading = (path: string) => () => readWiredoor(path);

  it('is refused in a sentence', () => {
    expect(reading(join(base, 'nowhere'))).toThrow(/db\.sqlite is not there\./);
    const { path } = directoryOf({});
    writeFileSync(join(path, 'db.sqlite'), 'no database at all, but long enough for its header to be read'.repeat(20));
    expect(reading(path)).toThrow(/no database of Wiredoor that can be read \(file is not a database\)/);
    rmSync(join(path, 'db.sqlite'));
    new Sqlite(join(path, 'db.sqlite')).exec('create table nodes (id integer)').close();
    expect(reading(path)).toThrow(/it has no table wg_interfaces/);
  });

  it('is refused where the server’s own key, network or address is not whole', () => {
    expect(reading(directoryOf({ wg_interfaces: { privateKey: '' } }).path)).toThrow(/own key is missing/);
    expect(reading(directoryOf({ wg_interfaces: { publicKey: 'x' } }).path)).toThrow(/do not belong together/);
    expect(reading(directoryOf({ wg_interfaces: { subnet: '0.0.0.0/0' } }).path)).toThrow(/network or port is none/);
    expect(reading(directoryOf({ wg_interfaces: { port: 'x' } }).path)).toThrow(/network or port is none/);
    expect(reading(directoryOf({ wg_interfaces: { address: '10.0.0.9/24' } }).path)).toThrow(
      /address is not 10\.0\.0\.1/,
    );
  });

  it('is refused where the database was cut off', () => {
    const { path } = directoryOf({
      nodes: Array.from({ length: 200 }, (_, index) => ({ name: `n${index}`, address: `10.0.0.${index + 2}` })),
    });
    const file = new Sqlite(join(path, 'db.sqlite'));
    const bytes = file.serialize();
    file.close();
    writeFileSync(join(path, 'db.sqlite'), bytes.subarray(0, Math.floor(bytes.length / 2)));
    expect(reading(path)).toThrow(/no database of Wiredoor that can be read/);
  });
});
