import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { signedIn } from '../testing/signedIn.ts';

let at: Awaited<ReturnType<typeof signedIn>>;
let folder: string;
/** Whether the reply to the next request that changes something is lost after the gateway has done it. */
let isLost: boolean;

beforeEach(async () => {
  isLost = false;
  at = await signedIn(async (request) => {
    if (request.url.endsWith('/download')) return new Response(CONFIGURATION);
    if (!isLost || request.method === 'GET') return null;
    isLost = false;
    await at.gateway.fetch(request);
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });
  });
  folder = mkdtempSync(join(tmpdir(), 'sallyport-cli-'));
  return () => rmSync(folder, { recursive: true });
});

const CONFIGURATION = '[Interface]\nPrivateKey = x\n';

const cells = (out: string) =>
  out
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split('\t'));
const fieldsOf = (out: string) => Object.fromEntries(cells(out)) as Record<string, string>;

describe('node', () => {
  it('is created by a name and the flags of the contract, and its token is shown', async () => {
    const made = await at.run(
      'node create attic --is-gateway --gateway-networks eth0=198.51.100.0/25,eth1=198.51.100.128/25',
    );
    expect(made.code).toBe(0);
    expect(fieldsOf(made.out)).toMatchObject({
      name: 'attic',
      isGateway: 'true',
      gatewayNetworks: 'eth0=198.51.100.0/25,eth1=198.51.100.128/25',
      token: expect.stringMatching(/^\S{20,}$/),
    });
    expect(made.err).toBe('Keep the token now: it is not shown again.\n');
    const order = cells(made.out).map(([field]) => field);
    expect(order.slice(0, 3)).toEqual(['id', 'name', 'token']);
    expect(order.slice(-3)).toEqual(['version', 'created_at', 'updated_at']);
    expect((await at.json('node show attic')).gatewayNetworks).toEqual([
      { interface: 'eth0', subnet: '198.51.100.0/25' },
      { interface: 'eth1', subnet: '198.51.100.128/25' },
    ]);
  });

  it('is shown at a terminal as people read it, and piped exactly', async () => {
    const shown = await at.run('node show edge --no-color', { terminal: true });
    expect(shown.out).toMatch(/^isGateway +no$/m);
    expect(shown.out).toMatch(/^created_at +11\/21\/2026, \d\d:\d\d:\d\d \S+$/m);
    expect(shown.out).toMatch(/^latestHandshakeTimestamp +-$/m);
    expect(fieldsOf((await at.run('node show edge')).out)).toMatchObject({
      isGateway: 'false',
      created_at: expect.stringMatching(/^2026-11-21T\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });

  it('is changed where something is given; nothing takes a value away, --no- says the opposite', async () => {
    expect((await at.run('node edit edge --name cellar --keepalive 25 --dns 192.0.2.53 --allow-internet')).code).toBe(
      0,
    );
    expect(await at.json('node show cellar')).toMatchObject({ keepalive: 25, dns: '192.0.2.53', allowInternet: true });
    expect((await at.run(['node', 'edit', 'cellar', '--dns', '', '--no-allow-internet'])).code).toBe(0);
    expect(await at.json('node show cellar')).toMatchObject({ keepalive: 25, dns: null, allowInternet: false });
  });

  it.each([
    ['node create', "Missing required argument 'name'."],
    ['node create x --keepalive 121', '--keepalive must be less than or equal to 120. See --help.'],
    ['node create x --keepalive many', '--keepalive must be a number.'],
    ['node create x --address 300.1.1.1', '--address must be a valid ip address'],
    ['node create x --gateway-network 192.0.2.0', '--gateway-network must be a valid ip address with a required CIDR'],
    ['node create x --is-gateway', '--gateway-network is required.'],
    ['node edit edge', 'Nothing to change was given. See --help.'],
    ['domain create nodots', '<domain> must contain a valid domain name.'],
    ['domain create a.example --skip-validation --ssl certbot', '--ssl must be [self-signed].'],
    ['service create http x --node edge --backend-port 0', '--backend-port must be a valid port.'],
    ['service create http x --node edge --ttl soon', 'TTL must be a string like "30s", "10m", "2h", "1d".'],
    ['service create http x', '--node is required.'],
    ['service create tcp x --node edge', '--backend-port is required.'],
    ['service create tcp x --node edge --backend-port 53 --proto udp --ssl', 'TLS can be terminated for TCP only.'],
    ['service list --order-by backend,asc', '--order-by must be one of'],
    ['service list --status open', '--status must be one of'],
    ['token create x --node edge --expire-at someday', '--expire-at must be a valid date.'],
    ['node list --page 2', '--page needs to know how many rows a page has. Say it with --limit.'],
    ['node list --all --limit 2', '--all shows every row; --page and --limit choose some. Leave one out.'],
  ])('answers `%s` with the words of the contract before anything is sent', async (line, sentence) => {
    const { code, out, err } = await at.run(line);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(sentence);
    expect(at.asked).toEqual([]);
  });

  it('is disabled and enabled, by name or id', async () => {
    expect(await at.run('node disable edge')).toEqual({ code: 0, out: '', err: 'Disabled node "edge".\n' });
    expect((await at.json('node show edge')).enabled).toBe(false);
    expect((await at.json(`node enable ${at.ids.edgeId}`)).enabled).toBe(true);
    expect((await at.run('node disable edge --quiet')).err).toBe('');
  });

  it('is deleted after a yes: by a flag, or at the terminal', async () => {
    const refused = await at.run('node delete edge');
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('Say --yes if that is meant.');
    const question = 'Delete node "edge", its services and its access tokens?';
    const no = await at.run('node delete edge', { terminal: true, answers: [[question, '\r']] });
    expect(no.code).toBe(1);
    expect(no.err).toContain('Nothing was changed.');
    expect(at.asked.filter((request) => request.startsWith('DELETE'))).toEqual([]);
    expect((await at.run('node delete edge', { terminal: true, answers: [[question, 'y\r']] })).code).toBe(0);
    expect((await at.run('node show edge')).code).toBe(5);
    expect(JSON.parse((await at.run('node delete site --yes --json')).out)).toMatchObject({
      version: 1,
      deleted: { id: at.ids.siteId, name: 'site' },
    });
  });

  it('says what there is when a name is unknown: 5', async () => {
    expect(await at.run('node show edg')).toEqual({
      code: 5,
      out: '',
      err: `sallyport: There is no node "edg". There are:\n  ${at.ids.edgeId}  edge\n`,
    });
  });

  it('gives its WireGuard configuration, to a file that only its owner may read', async () => {
    expect((await at.run('node config edge')).out).toMatch(/^\[Interface\]\n/);
    const file = join(folder, 'edge.conf');
    expect((await at.run(['node', 'config', 'edge', '--output', file])).out).toBe('');
    expect(readFileSync(file, 'utf8')).toContain('PrivateKey');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const nowhere = await at.run(['node', 'config', 'edge', '--output', join(folder, 'no', 'where')]);
    expect(nowhere.code).toBe(1);
    expect(nowhere.err).toContain('could not be written: there is no such directory.');
    expect(readdirSync(folder)).toEqual(['edge.conf']);
  });
});

describe('domain', () => {
  it('is made, listed, shown, changed and deleted', async () => {
    expect((await at.run('domain create new.example.test --skip-validation')).code).toBe(0);
    expect(cells((await at.run('domain list --search new')).out)).toEqual([
      [expect.any(String), 'new.example.test', 'self-signed', 'no', '', expect.stringMatching(/^(?:here)?$/)],
    ]);
    expect((await at.run('domain edit new.example.test --no-skip-validation')).code).toBe(0);
    expect(await at.json('domain show NEW.example.test')).toMatchObject({ skipValidation: false });
    expect((await at.run('domain delete new.example.test --yes')).code).toBe(0);
    expect((await at.run('domain show new.example.test')).code).toBe(5);
    expect((await at.run('domain list', { terminal: true, env: { NO_COLOR: '1' } })).out).toMatch(
      /^ID {2}DOMAIN +CERTIFICATE +AUTHENTICATION +PROBLEM +DNS\n *\d+ {2}app\.example\.test {2}Self Signed +no +- +Leads here\n$/,
    );
  });

  it('has its DNS looked up, with an exit code that tells whether it leads here', async () => {
    expect((await at.run('domain dns app.example.test')).code).toBe(0);
    at.gateway.clock.advance(2000);
    at.gateway.system.nameServers.answer(() => ({ cnames: ['old.example.test'], a: ['198.51.100.9'] }));
    const { code, out, err } = await at.run('domain dns app.example.test');
    expect(code).toBe(1);
    expect(err).toContain('DNS of app.example.test: leads elsewhere.');
    expect(fieldsOf(out)).toMatchObject({
      state: 'elsewhere',
      nameServers: '192.0.2.53',
      cnames: 'old.example.test',
      a: '198.51.100.9',
      records: 'app.example.test. CNAME vpn.example.test.,app.example.test. A 203.0.113.1',
    });
    expect(JSON.parse((await at.run('domain dns app.example.test --json')).out).data.records).toContainEqual({
      type: 'A',
      name: 'app.example.test',
      value: '203.0.113.1',
    });
    expect((await at.run('domain dns nowhere.example.test')).code).toBe(5);
  });
});

describe('what access tokens may use', () => {
  it('is said of a domain', async () => {
    const { edgeId, siteId } = at.ids;
    const shown = () => at.json('domain show new.example.test');
    await at.run(`domain create new.example.test --skip-validation --no-reserved --allowed-nodes ${edgeId},${siteId}`);
    expect(await shown()).toMatchObject({ reserved: false, allowedNodes: [edgeId, siteId] });
    await at.run(['domain', 'edit', 'new.example.test', '--reserved', '--allowed-nodes', '']);
    expect(await shown()).toMatchObject({ reserved: true, allowedNodes: null });
  });

  it('is said of a node', async () => {
    const networks = ['198.51.100.0/24', '203.0.113.0/24'];
    await at.run(`node edit site --allow-any-domain --allowed-networks ${networks.join()}`);
    expect(await at.json('node show site')).toMatchObject({ allowAnyDomain: true, allowedNetworks: networks });
    await at.run('node edit site --resolver 192.0.2.53');
    expect(await at.json('node show site')).toMatchObject({ resolver: '192.0.2.53' });
    await at.run(['node', 'edit', 'site', '--no-allow-any-domain', '--allowed-networks', '', '--resolver', '']);
    expect(await at.json('node show site')).toMatchObject({
      allowAnyDomain: false,
      allowedNetworks: null,
      resolver: null,
    });
  });
});

describe('a change whose reply is lost', () => {
  it.each([
    ['domain create new.example.test --skip-validation', 'POST'],
    ['node edit edge --name cellar', 'PATCH'],
    ['node delete edge --yes', 'DELETE'],
  ])('is made once by `%s`, which gets the outcome by a second try', async (line, method) => {
    isLost = true;
    expect((await at.run(line)).code).toBe(0);
    expect(at.asked.filter((request) => request.startsWith(method))).toHaveLength(2);
  });

  it('makes one node, and shows a token that works', async () => {
    isLost = true;
    const { code, out } = await at.run('node create attic');
    expect(code).toBe(0);
    expect(await at.gateway.store.nodes.all({ name: 'attic' })).toHaveLength(1);
    const headers = { authorization: `Bearer ${fieldsOf(out)['token']}` };
    expect((await at.gateway.fetch('/api/cli/node', { headers })).status).toBe(200);
  });
});

describe('what the gateway refuses', () => {
  const NEXT = 'Give another value and run the command again; --help says what may be given.';
  it.each([
    ['domain create app.example.test --skip-validation', 'domain: another one has this value already'],
    ['node create edge', 'name: another one has this value already'],
  ])('`%s` is answered with the field that is wrong, and the next step: 2', async (line, problem) => {
    expect(await at.run(line)).toEqual({ code: 2, out: '', err: `sallyport: ${problem}. ${NEXT}\n` });
  });

  it.each([
    [
      { failure: 'ETIMEOUT' },
      'The name servers (192.0.2.53) did not answer in time. Try again, or skip the validation.',
    ],
    [{ a: ['198.51.100.9'] }, 'Visitors arrive only if they are passed on from there.'],
  ])('says of a name for which %j was found how it is saved all the same', async (answer, sentence) => {
    at.gateway.clock.advance(2000);
    at.gateway.system.nameServers.answer(() => answer);
    const next = '`--skip-validation` saves the domain without this check, with a self-signed certificate.';
    for (const line of ['domain create new.example.test', 'domain edit app.example.test --no-skip-validation']) {
      const { code, err } = await at.run(line);
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(`${sentence} ${next}\n`) });
    }
  });

  it('is said in the words of the contract where something is needed', async () => {
    const { err } = await at.run('service create http more --node Local --path-location /more --backend-port 80');
    expect(err).toBe(`sallyport: backendHost is required. ${NEXT}\n`);
  });
});

describe('service', () => {
  it('of either type is made by the flags of its own contract', async () => {
    const flags = '--domain app.example.test --path-location /shop --backend-host 127.0.0.1 --backend-port 8080';
    const http = await at.run(`service create http shop --node 1 ${flags}`);
    expect(http.code).toBe(0);
    const shop = { type: 'http', name: 'shop', pathLocation: '/shop', backendPort: '8080' };
    expect(fieldsOf(http.out)).toMatchObject(shop);
    expect(http.err).toContain('Visitors reach it at https://app.example.test/shop');
    const tcp = await at.run('service create tcp mqtt --node edge --backend-port 1883 --ttl 2h');
    expect(tcp.code).toBe(0);
    expect(fieldsOf(tcp.out)).toMatchObject({ type: 'tcp', proto: 'tcp', port: '20000' });
    expect((await at.run('service list --no-color', { terminal: true })).out).toMatch(/ mqtt .* in 2 hours$/m);
    expect(cells((await at.run('service list --search mqtt')).out)[0]?.at(-1)).toMatch(/^2026-.*Z$/);
    expect((await at.run('service create http x --node edge --port 1')).err).toContain("Unknown option '--port'");
  });

  it('of both types stands in one list, in one order, by pages', async () => {
    await at.run('service create tcp beta --node edge --backend-port 1883');
    const names = async (line: string) => cells((await at.run(line)).out).map(([, name]) => name);
    const all = await names('service list --order-by name,asc');
    expect(all).toEqual(['App', 'beta', 'Sallyport console', 'Wiki']);
    expect(await names('service list --order-by name,asc --limit 2 --page 2')).toEqual(all.slice(2));
    expect(await names('service list --type tcp')).toEqual(['beta']);
    expect(await names('service list --node edge --order-by name,desc')).toEqual(['Wiki', 'beta']);
    expect(await names('service list --domain app.example.test')).toEqual(['App']);
    expect(await names('service list --search wik')).toEqual(['Wiki']);
    expect(await names('service list --search edge --access open')).toEqual(['Wiki', 'beta']);
    await at.run('service disable beta');
    expect(await names('service list --status closed')).toEqual(['beta']);
    expect((await at.json('service list --type http --limit 1'))[0]).toMatchObject({ type: 'http' });
  });

  it('is changed by the flags of its type, and told apart by node and type', async () => {
    await at.run('service create tcp App --node edge --backend-port 22');
    expect((await at.run('service edit App --backend-port 23')).code).toBe(5);
    expect((await at.run('service edit App --type tcp --backend-port 23')).code).toBe(0);
    expect((await at.json('service show App --node edge')).backendPort).toBe(23);
    const other = await at.run('service edit Wiki --proto udp');
    expect(other.code).toBe(2);
    expect(other.err).toContain('"Wiki" is an HTTP service: "proto" is not allowed.');
    await at.run('service edit Wiki --allowed-ips 192.0.2.1,198.51.100.0/24');
    await at.run('service disable Wiki');
    expect((await at.run('service edit Wiki --backend-port 81')).err).toMatch(
      /^It is closed to visitors; `sallyport service enable \d+` opens it\.\n$/,
    );
    expect((await at.json('service show Wiki')).allowedIps).toEqual(['192.0.2.1', '198.51.100.0/24']);
    await at.run(['service', 'edit', 'Wiki', '--allowed-ips', '']);
    expect((await at.json('service show Wiki')).allowedIps).toBeNull();
  });

  it('is closed, opened and deleted', async () => {
    expect(await at.run('service disable Wiki')).toEqual({ code: 0, out: '', err: 'Disabled service "Wiki".\n' });
    expect(cells((await at.run('service list --search Wiki')).out)[0]?.[4]).toBe('closed');
    expect((await at.run('service enable Wiki')).code).toBe(0);
    expect((await at.run('service delete Wiki --yes')).code).toBe(0);
    expect((await at.run('service show Wiki')).code).toBe(5);
  });
});

describe('a service that its time limit closed', () => {
  it('says so, to people at their own time of day', async () => {
    const params = { nodeId: 1, id: at.ids.appId };
    await at.gateway.store.write((tx) =>
      tx.httpServices.update(params.id, {
        expiresAt: new Date(at.gateway.clock.now().getTime() + 60_000).toISOString(),
      }),
    );
    at.gateway.clock.advance(60_000);
    await expect.poll(async () => (await at.json('service show App')).enabled).toBe(false);
    const { closedAt, closedBy, problem } = await at.json('service show App');
    expect([closedBy, problem]).toEqual(['time-limit', expect.stringContaining(' UTC by its time limit.')]);
    const time = new Date(closedAt).toLocaleTimeString('en-US', { timeStyle: 'short', hourCycle: 'h23' });
    const words = new RegExp(`closed (on \\S+ )?at ${time} by its time limit`, 'i');
    const shown = await at.run('service show App --no-color', { terminal: true });
    expect(shown.out).toMatch(words);
    expect(shown.out).not.toContain('UTC by');
    expect((await at.run('service list --no-color', { terminal: true })).out).toMatch(words);
    expect(cells((await at.run('service list --search App')).out)[0]).toContain('closed');
  });
});

describe('token', () => {
  it('is made for a node: the secret alone on standard output, or in a file', async () => {
    const made = await at.run('token create ci --node edge --expire-at 2027-01-31T12:00:00Z');
    expect(made.out).toMatch(/^\S{20,}\n$/);
    const listed = await at.run('token list --node edge --no-color', { terminal: true });
    expect(listed.out).toMatch(/ ci +Active +01\/31\/2027 /);
    const file = join(folder, 'token');
    const kept = await at.run(['token', 'create', 'kept', '--node', 'edge', '--output', file, '--json']);
    expect(kept.out).not.toContain(readFileSync(file, 'utf8').trim());
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await at.json('token show ci --node edge')).toMatchObject({ name: 'ci', revoked: false });
  });

  it('is listed, revoked and deleted', async () => {
    await at.run('token create ci --node edge');
    expect((await at.run('token revoke ci --node edge')).code).toBe(2);
    expect((await at.run('token revoke ci --node edge --yes')).err).toBe('Revoked access token "ci".\n');
    expect(cells((await at.run('token list --node edge --search ci')).out)).toEqual([
      [expect.any(String), 'ci', 'revoked', '', ''],
    ]);
    expect((await at.run('token delete ci --node edge --yes')).code).toBe(0);
    expect((await at.run('token show ci --node edge')).code).toBe(5);
  });
});

describe('profile', () => {
  it('keeps the sessions of several gateways apart, and lists them without their tokens', async () => {
    const { out } = await at.run('profile list --json');
    expect(JSON.parse(out).data).toEqual([
      expect.objectContaining({ name: 'default', url: 'https://gateway.example.test', username: 'admin' }),
    ]);
    expect(out).not.toContain('sps_');
    const other = await at.run('node list', { env: { SALLYPORT_PROFILE: 'other' } });
    expect(other.code).toBe(4);
    expect(other.err).toContain('Run `sallyport login --operator --url URL --profile other`.');
  });
});
