import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePorts } from '../testing/freePorts.ts';
import { makeNpmDatabase, type NpmRows } from '../testing/npmDatabase.ts';
import { openProgramTrial, type ProgramTrial } from '../testing/programTrial.ts';
import { putCertbotPair } from '../testing/certbotDirectory.ts';
import { leftText } from './importServices.ts';
import { readNpm } from './npmDatabase.ts';
import { planNpm } from './npmPlan.ts';
import { Secret } from '../vault/secret.ts';
import { servedFingerprint } from './servedFingerprint.ts';

const STARTS = { timeout: 240_000 };
const SETTINGS = { tcpPorts: { from: 20_000, to: 20_999 }, pairOf: () => ({ why: 'it is not there' }) };

let base: string;
let made = 0;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'sallyport-npm-'));
});
afterAll(() => rmSync(base, { recursive: true }));

const databaseOf = (rows: NpmRows, schema?: string) =>
  makeNpmDatabase(join(base, `${(made += 1)}.sqlite`), rows, schema);

const host = (name: string, more: Record<string, unknown> = {}) => ({
  domain_names: [name],
  forward_host: '192.0.2.5',
  forward_port: 80,
  ...more,
});
const planOf = (rows: NpmRows) => planNpm(readNpm(databaseOf(rows)), SETTINGS);
const summaryOf = (plan: ReturnType<typeof planNpm>) =>
  plan.services.map(({ title, closed }) => [title, closed !== null]);
const rules = (id: number, ...all: string[]) =>
  all.map((rule) => ({ access_list_id: id, directive: rule.split(' ')[0], address: rule.split(' ')[1] }));

describe('a plan of the hosts of Nginx Proxy Manager', () => {
  it('has a service for each name and each plain path, the one that was served first', () => {
    const locations = [
      { path: '/api', forward_scheme: 'https', forward_host: '192.0.2.6', forward_port: 8443 },
      { path: '/sub', forward_scheme: 'http', forward_host: '192.0.2.6/other/', forward_port: 80 },
      { path: '~* \\.php$', forward_scheme: 'http', forward_host: '192.0.2.6', forward_port: 80 },
    ];
    const plan = planOf({
      proxy_host: [
        host('b.example.test', { enabled: 0, forward_port: 81 }),
        host('a.example.test', {
          domain_names: ['a.example.test', 'b.example.test', 'müller.example', '*.example.test'],
          locations,
        }),
        host('gone.example.test', { is_deleted: 1 }),
      ],
    });
    expect(summaryOf(plan)).toEqual([
      ['https://a.example.test → http://192.0.2.5:80', false],
      ['https://a.example.test/api → https://192.0.2.6:8443', false],
      ['https://b.example.test → http://192.0.2.5:80', false],
      ['https://b.example.test/api → https://192.0.2.6:8443', false],
      ['https://xn--mller-kva.example → http://192.0.2.5:80', false],
      ['https://xn--mller-kva.example/api → https://192.0.2.6:8443', false],
    ]);
    expect(plan.left.map(({ what }) => what)).toEqual(
      expect.arrayContaining(['*.example.test', 'b.example.test', 'a.example.test/sub', 'a.example.test~* \\.php$']),
    );
  });

  const closed = { closed: expect.stringContaining('access list') };
  const lists = (allowedIps: string[] | null, blockedIps: string[] | null) => ({
    closed: null,
    body: { allowedIps, blockedIps },
  });
  it.each<[string, string[], object]>([
    ['one without rules', [], lists(null, null)],
    [
      'networks that may',
      ['allow 192.0.2.0/24', 'allow 2001:db8::/32'],
      lists(['192.0.2.0/24', '2001:db8::/32'], null),
    ],
    ['some that may not, and all others', ['deny 192.0.2.9', 'allow all', 'deny all'], lists(null, ['192.0.2.9'])],
    [
      'a part that may, of a network that may not',
      ['allow 192.0.2.9', 'deny 192.0.2.0/24', 'allow all'],
      lists(null, ['192.0.2.0/24']),
    ],
    ['nobody', ['deny all'], closed],
    ['a rule that cannot be read', ['allow unix:'], closed],
  ])('never lets in more than an access list does: %s', (_, all, expected) => {
    const plan = planOf({
      access_list: [{ id: 3, name: 'home' }],
      access_list_client: rules(3, ...all),
      proxy_host: [host('a.example.test', { access_list_id: 3 })],
    });
    expect(plan.services).toMatchObject([expected]);
  });

  it.each<[string, NpmRows]>([
    [
      'a password',
      {
        access_list: [{ id: 3, name: 'x' }],
        access_list_auth: [{ access_list_id: 3, username: 'u', password: 's3cret' }],
        proxy_host: [host('a.test', { access_list_id: 3 })],
      },
    ],
    ['nginx text', { proxy_host: [host('a.test', { advanced_config: 'auth_request /authelia;' })] }],
    [
      'nginx text of a path that is not taken in',
      { proxy_host: [host('a.test', { locations: [{ path: '= /admin', advanced_config: 'deny all;' }] })] },
    ],
    ['being disabled', { proxy_host: [host('a.test', { enabled: 0 })] }],
    ['a fault', { proxy_host: [host('a.test', { meta: { nginx_online: false, nginx_err: 'emerg' } })] }],
  ])('has closed what was protected there by %s', (_, rows) => {
    const plan = planOf(rows);
    expect(summaryOf(plan)).toEqual([[expect.anything(), true]]);
    expect(JSON.stringify(plan)).not.toContain('s3cret');
  });

  const issued = { certificate_id: 1, ssl_forced: 1 };
  const endsAt = new Date('2027-02-01T10:00:00Z');
  it.each<[string, Record<string, unknown>, boolean, { hsts: boolean; notes: unknown }]>([
    [
      'whose certificate is there',
      issued,
      true,
      { hsts: false, notes: [/^its certificate goes along, until 2027-02-01/, /^HSTS is off/] },
    ],
    [
      'that promised HTTPS',
      { ...issued, hsts_enabled: 1 },
      true,
      { hsts: true, notes: [/goes along/, /^HSTS is on, as there, but for this name alone/] },
    ],
    [
      'that promised it, without a certificate',
      { ...issued, hsts_enabled: 1 },
      false,
      {
        hsts: true,
        notes: [/^it is not there: its certificate is self-signed until/, /^browsers that were there insist/],
      },
    ],
    [
      'with an uploaded certificate',
      { ...issued, certificate_id: 2 },
      true,
      {
        hsts: false,
        notes: [/^certificates cannot be uploaded to this gateway: its certificate is self-signed until/, /off/],
      },
    ],
    [
      'with a certificate and plain HTTP',
      { certificate_id: 1 },
      true,
      { hsts: false, notes: [/goes along/, /^plain HTTP was served there/, /off/] },
    ],
    [
      'with a deleted certificate',
      { certificate_id: 3, ssl_forced: 1, hsts_enabled: 1 },
      true,
      { hsts: false, notes: [/^it had no certificate/, /off/] },
    ],
  ])('says which certificate and promise a domain has: one %s', (_, more, isThere, { hsts, notes }) => {
    const file = databaseOf({
      certificate: [
        { id: 1, provider: 'letsencrypt' },
        { id: 2, provider: 'other' },
        { id: 3, provider: 'letsencrypt', is_deleted: 1 },
      ],
      proxy_host: [host('a.test', more)],
    });
    const asked: string[] = [];
    const pairOf = (lineage: string) => {
      asked.push(lineage);
      return isThere ? { pair: new Secret('the key'), endsAt } : { why: 'it is not there' };
    };
    const plan = planNpm(readNpm(file), { ...SETTINGS, pairOf });
    expect(plan.domains).toMatchObject([{ domain: 'a.test', hsts }]);
    expect(plan.domains[0]?.notes).toEqual((notes as RegExp[]).map((each) => expect.stringMatching(each)));
    expect(asked).toEqual(more['certificate_id'] === 1 ? ['npm-1'] : []);
    expect(JSON.stringify(plan)).not.toContain('the key');
  });

  it('says what it drops of what matters', () => {
    const plan = planOf({
      proxy_host: [host('a.test', { trust_forwarded_proto: 1, block_exploits: 1, caching_enabled: 1 })],
      setting: [{ id: 'default-site', value: 'redirect' }],
    });
    expect(plan.services[0]?.notes).toEqual([
      'files were cached there',
      'patterns of attacks were refused there',
      expect.stringContaining('SALLYPORT_TRUSTED_PROXIES'),
    ]);
    expect(plan.left).toEqual([{ what: 'default site (redirect)', why: 'unknown names answer 421 here' }]);
  });

  it('reads an old database, and a deleted list as none', () => {
    const old = `create table proxy_host (id integer primary key, is_deleted int, domain_names json, forward_ip varchar, forward_port int, access_list_id int);
      create table access_list (id integer primary key, is_deleted int, name varchar);`;
    const file = databaseOf(
      {
        proxy_host: [
          { is_deleted: 0, domain_names: ['a.test'], forward_ip: '192.0.2.5', forward_port: 80, access_list_id: 1 },
        ],
        access_list: [{ id: 1, is_deleted: 1, name: 'x' }],
      },
      old,
    );
    expect(summaryOf(planNpm(readNpm(file), SETTINGS))).toEqual([['https://a.test → http://192.0.2.5:80', false]]);
    writeFileSync(join(base, 'no.sqlite'), 'no database');
    expect(() => readNpm(join(base, 'no.sqlite'))).toThrow('is no database of Nginx Proxy Manager');
  });
});

it.each([0.1, 0.5, 0.99])('is refused where only %d of the database is there', (part) => {
  const whole = databaseOf({ proxy_host: Array.from({ length: 200 }, (_, index) => host(`a${index}.example.test`)) });
  expect(readNpm(whole).hosts).toHaveLength(200);
  const bytes = readFileSync(whole);
  const cut = join(base, 'cut.sqlite');
  writeFileSync(cut, bytes.subarray(0, Math.floor(bytes.length * part)));
  expect(() => readNpm(cut)).toThrow(/no database of Nginx Proxy Manager that can be read/);
});

it('says hostile names so that no terminal obeys them', () => {
  const plan = planOf({ proxy_host: [host('a.test', { domain_names: ['\u001b[2J*.test'] })] });
  expect(plan.left.map(leftText)).toEqual([expect.stringMatching(/^not taken in: [ -~]+$/)]);
});

describe('the import', () => {
  let trial: ProgramTrial;
  let backend: Server;
  let file: string;
  let port: number;
  let fingerprint: string;

  beforeAll(async () => {
    backend = createServer((_, response) => response.end('backend')).listen(0, '127.0.0.1');
    await once(backend, 'listening');
    const backendPort = (backend.address() as AddressInfo).port;
    [port = 0] = await freePorts(1);
    trial = await openProgramTrial();
    await trial.start({ SALLYPORT_TCP_PORTS: `${port}-${port}` });
    await trial.signIn();
    const to = { forward_host: '127.0.0.1', forward_port: backendPort };
    fingerprint = putCertbotPair(join(base, 'letsencrypt'), 'npm-7', 'open.example.test');
    file = databaseOf({
      proxy_host: [
        host('open.example.test', { ...to, certificate_id: 7, ssl_forced: 1, hsts_enabled: 1 }),
        host('own.example.test', { ...to, advanced_config: 'deny all;' }),
      ],
      certificate: [{ id: 7, provider: 'letsencrypt' }],
      stream: [
        { incoming_port: port, forwarding_host: '127.0.0.1', forwarding_port: backendPort, tcp_forwarding: 1 },
        // What SQLite keeps in a column of numbers, if it is given that.
        { incoming_port: '20001 ; x', forwarding_host: '127.0.0.1', forwarding_port: backendPort, tcp_forwarding: 1 },
      ],
      redirection_host: [{ domain_names: ['old.example.test'] }],
    });
  }, 120_000);
  afterAll(async () => {
    await trial.close();
    backend.close();
  });

  const run = (...more: string[]) =>
    trial.start(
      { SALLYPORT_TCP_PORTS: `${port}-${port}` },
      { args: ['import', 'nginx-proxy-manager', file, '--json', ...more] },
    );
  const domainStatesOf = ({ out }: { out: string }) =>
    (JSON.parse(out) as { domains: { state: string }[] }).domains.map(({ state }) => state);
  const statesOf = ({ out }: { out: string }) =>
    (JSON.parse(out) as { outcomes: { state: string }[] }).outcomes.map(({ state }) => state);

  it(
    'changes nothing before it is told to, makes each once, and opens nothing that was protected',
    STARTS,
    async () => {
      const planned = await run();
      expect([statesOf(planned), domainStatesOf(planned)]).toEqual([
        ['new', 'new', 'new'],
        ['new', 'new'],
      ]);
      expect(await trial.visit('open.example.test')).not.toBe('backend');
      const applied = await run('--apply');
      expect([applied.code, statesOf(applied)]).toEqual([0, ['made', 'made', 'made']]);
      // Its name leads nowhere, and no authority answers: it is the one that was there.
      expect(await servedFingerprint(trial.ports.https, 'open.example.test')).toBe(fingerprint);
      expect(applied.out).not.toContain('PRIVATE KEY');
      const { body: domains } = await trial.call('GET', '/api/domains');
      expect(domains).toEqual([
        expect.objectContaining({ domain: 'open.example.test', ssl: 'certbot', hsts: true, reserved: true }),
        expect.objectContaining({ domain: 'own.example.test', ssl: 'self-signed', hsts: false, reserved: true }),
      ]);
      expect(JSON.parse(applied.out)).toMatchObject({
        left: [
          { what: expect.stringMatching(/^tcp stream to 127/), why: 'its incoming port is no number' },
          { what: 'old.example.test' },
        ],
      });
      expect(await trial.visit('open.example.test')).toBe('backend');
      expect(await trial.visit('own.example.test')).not.toBe('backend');
      const { body } = await trial.call('GET', '/api/services/http');
      expect(body).toContainEqual(
        expect.objectContaining({ domain: 'own.example.test', enabled: false, blockedIps: null }),
      );
      const again = await run('--apply');
      expect([statesOf(again), domainStatesOf(again)]).toEqual([
        ['there', 'there', 'there'],
        ['there', 'there'],
      ]);
    },
  );

  describe('of a name that a node took before', () => {
    /** Like one that an import was killed at. */
    const halfMade = { blockedIps: ['0.0.0.0/0', '::/0'] };
    let before: unknown;
    const services = async () =>
      (await trial.call('GET', `/api/services/http?search=taken.example.test`)).body as unknown as unknown[];
    const domains = async () =>
      ((await trial.call('GET', '/api/domains')).body as unknown as { domain: string }[]).filter(({ domain }) =>
        /^(?:taken|beside|free)/.test(domain),
      );

    it('gives the node neither the certificate nor the lists, and says whose service is there', STARTS, async () => {
      const backendPort = (backend.address() as AddressInfo).port;
      const { body: node } = await trial.call('POST', '/api/nodes', { name: 'edge' });
      const { body: pat } = await trial.call('POST', `/api/nodes/${Number(node['id'])}/pats`, { name: 'stolen' });
      for (const [domain, pathLocation] of [
        ['taken.example.test', '/'],
        ['beside.example.test', '/x'],
      ]) {
        const body = { ...halfMade, name: `of ${domain}`, domain, pathLocation, backendPort };
        const reply = await trial.call('POST', '/api/cli/expose/http', body, String(pat['token']));
        expect(reply).toMatchObject({ status: 200 });
      }
      await trial.call('POST', '/api/domains', { domain: 'free.example.test', skipValidation: true, reserved: false });
      before = await services();
      const theirs = putCertbotPair(join(base, 'letsencrypt'), 'npm-8', 'beside.example.test');
      const to = { forward_host: '127.0.0.1', forward_port: backendPort };
      file = databaseOf({
        access_list: [{ id: 3, name: 'office' }],
        access_list_auth: [{ access_list_id: 3, username: 'u', password: 's3cret' }],
        access_list_client: rules(3, 'allow 203.0.113.77'),
        proxy_host: [
          host('taken.example.test', { ...to, access_list_id: 3 }),
          host('beside.example.test', { ...to, certificate_id: 8, ssl_forced: 1 }),
          host('free.example.test', to),
        ],
        certificate: [{ id: 8, provider: 'letsencrypt' }],
      });

      const planned = await run();
      expect([statesOf(planned), domainStatesOf(planned)]).toEqual([
        ['failed', 'failed', 'new'],
        ['failed', 'failed', 'there'],
      ]);
      const applied = await run('--apply');
      expect([applied.code, statesOf(applied), domainStatesOf(applied)]).toEqual([
        1,
        ['failed', 'failed', 'made'],
        ['failed', 'failed', 'there'],
      ]);
      expect(applied.out).toContain('services of another node are on beside.example.test: \\"edge\\"');
      expect(await services()).toEqual(before);
      expect(await domains()).toMatchObject([
        { domain: 'taken.example.test', reserved: false },
        { domain: 'beside.example.test', ssl: 'self-signed', reserved: false },
        { domain: 'free.example.test', reserved: true },
      ]);
      expect(await servedFingerprint(trial.ports.https, 'beside.example.test')).not.toBe(theirs);
    });

    it('is of the administrator again who reserves it, next to what is there', STARTS, async () => {
      for (const { domain, id } of (await domains()) as { domain: string; id: number }[]) {
        if (domain !== 'free.example.test') await trial.call('PATCH', `/api/domains/${id}`, { reserved: true });
      }
      const applied = await run('--apply');
      expect([statesOf(applied), domainStatesOf(applied)]).toEqual([
        ['failed', 'made', 'there'],
        ['there', 'made', 'there'],
      ]);
      expect(applied.out).toContain('the service \\"of taken.example.test\\" of the node \\"edge\\" is there');
      expect(await services()).toEqual(before);
    });
  });
});
