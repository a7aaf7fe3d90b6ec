import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { message } from '@sallyport/sdk/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import type { FakeMachine } from '../testing/fakeMachine.ts';
import type { RunOptions } from '../testing/shell.ts';
import { testHost } from '../testing/testHost.ts';

const LINE = '2026-11-21T12:00:00.123Z INFO 198.51.100.7 "GET /seen HTTP/1.1" 200 512 3ms 127.0.0.1:8080';

let at: Awaited<ReturnType<typeof testHost>>;
let gateway: typeof at.gateway;
let machine: FakeMachine;
let isReachable: boolean;
/** What happens while the gateway is asked. */
let atGateway: (request: Request) => void;
const run = (argv: string[], options: RunOptions = {}) => at.run(argv, options);
const services = () => gateway.store.httpServices.all({ nodeId: 2 });
/** As Node says it; nothing was sent, so a write is not sent again. */
const refused = () =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) });

/** A host that joined as `web-1`. */
beforeEach(async () => {
  at = await testHost();
  ({ gateway, machine } = at);
  isReachable = true;
  atGateway = () => undefined;
  at.answer = async (request) => {
    if (!isReachable) throw refused();
    atGateway(request);
    return gateway.fetch(request);
  };
  expect((await at.login()).code).toBe(0);
});

describe('http and tcp', () => {
  it('change a service only as it was read, and close it whatever it is', async () => {
    const versions: string[] = [];
    atGateway = ({ method, url, headers }) => {
      if (method === 'PATCH') versions.push(`${new URL(url).pathname} ${headers.get('if-match')}`);
    };
    await run(['http', 'web', '--port', '8080', '--path', '/web']);
    await run(['http', 'web', '--port', '8081', '--ttl', '2h']);
    await run(['disable', 'http', 'web']);
    await run(['enable', 'http', 'web']);
    const [{ id } = { id: 0 }] = await services();
    expect(versions).toEqual([
      `/api/cli/services/http/${id} "1"`,
      `/api/cli/services/http/${id}/enable "2"`,
      `/api/cli/services/http/${id}/disable null`,
      `/api/cli/services/http/${id}/enable "4"`,
    ]);
  });

  it('expose by one command, and answer with the public address alone', async () => {
    const argv = ['http', 'web', '--port', '8080', '--domain', 'app.example.test'];
    const first = await run(argv);
    expect(first).toMatchObject({ code: 0, out: 'https://app.example.test/\n' });
    expect(first.err).toContain('Service "web" is open:\n');
    expect(first.err).toContain('The domain app.example.test is new, with a self-signed certificate.');
    expect(await run(argv)).toMatchObject({
      code: 0,
      out: first.out,
      err: expect.stringContaining('was open already'),
    });
    expect(await services()).toHaveLength(1);
  });

  it('tell for which path the web server is asked, unless that is the first page', async () => {
    const { err } = await run(['http', 'web', '--port', '8080', '--path', '/web']);
    expect(err).toMatch(/^Your web server is asked for \/web\b/m);
    expect((await run(['http', 'whole', '--port', '8080'])).err).not.toContain('asked for');
  });

  it('say so when a name that is there moves to another address', async () => {
    await run(['http', 'web', '--port', '8080', '--domain', 'app.example.test']);
    const moved = await run(['http', 'web', '--port', '8080', '--domain', 'shop.example.test']);
    expect(moved).toMatchObject({ code: 0, out: 'https://shop.example.test/\n' });
    expect(moved.err).toContain(
      'It is no longer at https://app.example.test/; a second page needs a service of another name.',
    );
    expect(moved.err).toContain('The domain shop.example.test is new, with a self-signed certificate.');
    expect((await run(['http', 'web', '--port', '8081'])).err).not.toContain('no longer');
  });

  it('change what is there by the flags that are given, and nothing else', async () => {
    await run(['http', 'web', '--port', '8080', '--domain', 'app.example.test', '--allow', '192.0.2.1,192.0.2.0/28']);
    const { code, out } = await run(['http', 'web', '--port', '9090', '--ttl', '2h', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ version: 1, type: 'http', change: 'changed' });
    const changed = { name: 'web', backendPort: 9090, domain: 'app.example.test' };
    const kept = { allowedIps: ['192.0.2.1', '192.0.2.0/28'], expiresAt: '2026-11-21T14:00:00.000Z' };
    expect(await services()).toMatchObject([{ ...changed, ...kept }]);
  });

  it('open what was closed', async () => {
    await run(['http', 'web', '--port', '8080']);
    expect(await run(['disable', 'http', 'web'])).toMatchObject({ code: 0, err: 'Closed "web".\n' });
    expect((await services())[0]?.enabled).toBe(false);
    await run(['http', 'web', '--port', '8080']);
    expect((await services())[0]?.enabled).toBe(true);
  });

  it('expose a port, by TCP with TLS and by UDP', async () => {
    const { out } = await run(['tcp', 'broker', '--port', '1883', '--ssl', '--public-port', '20007']);
    expect(out).toBe('tcp://vpn.example.test:20007\n');
    expect((await run(['tcp', 'game', '--port', '27015', '--proto', 'udp'])).out).toMatch(
      /^udp:\/\/vpn\.example\.test:/,
    );
    expect(await run(['tcp', 'broker', '--port', '1883'])).toMatchObject({ out, code: 0 });
    expect((await run(['tcp', 'tls', '--port', '1', '--ssl'])).code).toBe(0);
    expect((await run(['tcp', 'tls', '--port', '1', '--no-ssl', '--json'])).out).toContain('"ssl": false');
    expect((await gateway.store.tcpServices.all({ nodeId: 2 })).slice(0, 2)).toMatchObject([
      { ssl: true, port: 20_007 },
      { ssl: false },
    ]);
  });

  const limits = ['--allow', '203.0.113.0/24,2001:db8::/32', '--block', '203.0.113.9', '--ttl', '2h'];
  const limited = {
    allowedIps: ['203.0.113.0/24', '2001:db8::/32'],
    blockedIps: ['203.0.113.9'],
    expiresAt: '2026-11-21T14:00:00.000Z',
  };
  const inside = ['--port', '8443', '--backend-host', '192.0.2.20'];

  it.each([
    [
      'a web server',
      ['http', 'shop', ...inside, '--domain', 'shop.example.test', '--path', '/buy', '--proto', 'https', ...limits],
      { domain: 'shop.example.test', pathLocation: '/buy', backendProto: 'https', ...limited },
    ],
    [
      'a port with TLS',
      ['tcp', 'mail', ...inside, '--domain', 'mail.example.test', '--ssl', '--public-port', '20500', ...limits],
      { domain: 'mail.example.test', proto: 'tcp', ssl: true, port: 20_500, ...limited },
    ],
    ['a port for datagrams', ['tcp', 'dns', ...inside, '--proto', 'udp'], { proto: 'udp', ssl: false }],
  ])('expose %s with all that the flags say', async (_, argv, service) => {
    await gateway.store.write((tx) =>
      tx.nodes.update(2, { isGateway: true, gatewayNetworks: [{ interface: 'eth0', subnet: '192.0.2.0/24' }] }),
    );
    expect(JSON.parse((await run([...argv, '--json'])).out)).toMatchObject({
      version: 1,
      change: 'created',
      service: { enabled: true, backendPort: 8443, backendHost: '192.0.2.20', ...service },
    });
  });

  it.each([
    [['http', 'web', '--path', 'x'], 2, 'Path Location must be an absolute URL path'],
    [['http', 'web', '--allow', 'x'], 2, '--allow '],
    [['tcp', 'broker'], 2, '--port is required'],
    [['tcp', 'broker', '--port', '1', '--public-port', '80'], 2, 'port'],
    [['enable', 'http', 'nothing'], 5, 'This host has no http service "nothing". Expose one with `sallyport http NAME'],
    [['disable', 'ftp', 'x'], 2, 'Allowed choices are http, tcp'],
  ])('%j ends with a sentence and %i', async (argv, code, sentence) => {
    const ended = await run(argv);
    expect({ code: ended.code, out: ended.out }).toEqual({ code, out: '' });
    expect(ended.err).toContain(sentence);
    expect(ended.err.trimEnd().split('\n')).toHaveLength(1);
  });

  it.each([
    ['http', 'web'],
    ['tcp', 'broker', '--ssl'],
  ])('name the command that allows the node a domain which it may not use: %s', async (...argv) => {
    const headers = { authorization: `Bearer ${await gateway.signIn()}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ domain: 'app.example.test', skipValidation: true });
    expect((await gateway.fetch('/api/domains', { method: 'POST', headers, body })).status).toBe(200);
    const { code, out, err } = await run([...argv, '--port', '8080', '--domain', 'App.example.test']);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(
      /^sallyport: This node may not use this domain\. .* `sallyport domain edit app\.example\.test --allowed-nodes 2`/,
    );
  });

  it('put nothing of a hostile gateway into the command that is to be pasted', async () => {
    await run(['http', 'web', '--port', '8080']);
    at.answer = async (request) => {
      if (request.method === 'PATCH') {
        const errors = { body: [{ field: 'domain', message: message.domainNotYours }] };
        return Response.json({ status: 'error', message: 'Validation failed', errors }, { status: 422 });
      }
      const reply = await gateway.fetch(request);
      if (!request.url.includes('/services/http')) return reply;
      const [own] = (await reply.json()) as object[];
      return Response.json([{ ...own, domain: 'x; touch /pwned; #' }], reply);
    };
    const { code, err } = await run(['http', 'web', '--path', '/y']);
    expect(code).toBe(2);
    expect(err).toContain('`sallyport domain edit DOMAIN --allowed-nodes 2`');
  });

  it.each([
    ['http', 'below its --path'],
    ['tcp', 'on its --public-port'],
  ])('%s told an address in place of a domain says where services without one are', async (type, where) => {
    for (const address of ['203.0.113.7', '2001:db8::7']) {
      const { code, err } = await run([type, 'web', '--port', '8080', '--domain', address]);
      expect({ code, err }).toEqual({
        code: 2,
        err: `sallyport: --domain must be a name, not an address. Leave it out, and visitors reach the service at the gateway's own name or address, ${where}. See --help.\n`,
      });
    }
    expect((await run([type, 'web', '--port', '8080', '--domain', 'nodots'])).err).toBe(
      'sallyport: --domain must contain a valid domain name. See --help.\n',
    );
  });

  it.each([
    ['as they are', [], {}, `${LINE}\n`],
    ['in the colours of their level at a terminal', [], { terminal: true }, `\x1b[34m${LINE}\x1b[39m\n`],
    ['as `logs` does with --json', ['--json'], {}, `"level":"INFO","request":{`],
  ])('show the requests in the foreground, %s, and close the service at the end', async (_, flags, options, wanted) => {
    const stop = new AbortController();
    const running = run(['http', 'web', '--port', '8080', '--foreground', ...flags], {
      ...options,
      signal: stop.signal,
      onOutput: (text) => {
        if (text.includes('/seen')) stop.abort(new Error('SIGINT'));
      },
    });
    await expect.poll(() => gateway.watchers()).toBe(1);
    gateway.system.logs.push({ kind: 'http', id: (await services())[0]?.id ?? 0 }, [LINE]);
    const { code, out, err } = await running;
    expect(out).toContain(wanted);
    expect(err).toContain('Closed "web".');
    expect(code).toBe(130);
    expect((await services())[0]?.enabled).toBe(false);
  });

  it('say that a service stays open which they could not close', async () => {
    const stop = new AbortController();
    const running = run(['http', 'web', '--port', '8080', '--foreground', '--quiet'], { signal: stop.signal });
    await expect.poll(() => gateway.watchers()).toBe(1);
    isReachable = false;
    stop.abort(new Error('SIGINT'));
    expect(await running).toMatchObject({
      code: 130,
      err: expect.stringMatching(
        /^sallyport: "web" stays open: The gateway cannot be reached [^\n]*`sallyport disable http \d+`\.\n$/,
      ),
    });
  });
});

describe('status', () => {
  it('shows what is connected and exposed: 0', async () => {
    await run(['http', 'web', '--port', '8080', '--domain', 'app.example.test']);
    const { code, out } = await run(['status']);
    expect(code).toBe(0);
    expect(out).toMatch(/Status: +connected\n/);
    expect(out).toMatch(/Node: +web-1 \(10\.88\.0\.2\)/);
    expect(out).toMatch(/http +web +\S.* +https:\/\/app\.example\.test\/ +http:\/\/localhost:8080/);
  });

  it('is JSON in every state, and exits with 0 only when it is up', async () => {
    const document = async () => {
      const { code, out } = await run(['status', '--json']);
      return { code, ...JSON.parse(out) };
    };
    const up = { code: 0, version: 1, link: 'up', isConnected: true, node: { name: 'web-1' } };
    expect(await document()).toMatchObject(up);
    machine.answers = false;
    expect(await document()).toMatchObject({ code: 3, link: 'waiting', isConnected: false });
    await run(['disconnect']);
    expect(await document()).toMatchObject({ code: 3, link: 'down', tunnel: { isUp: false } });
    isReachable = false;
    expect(await document()).toMatchObject({ code: 3, node: null, gatewayProblem: expect.stringMatching(/\w/) });
    rmSync(at.hostFile);
    expect(await document()).toMatchObject({ code: 3, link: 'unconfigured', url: null });
  });

  it('says that the gateway did not answer before it calls a tunnel connected', async () => {
    isReachable = false;
    const { code, out } = await run(['status']);
    expect(out).toMatch(/^Status: +the tunnel is up, but the gateway did not say how this node is\n/);
    expect(out).toContain('The gateway cannot be reached');
    expect(code).toBe(0);
  });

  it('has the gateway ask the backends first', async () => {
    const asked: string[] = [];
    atGateway = ({ url }) => void asked.push(new URL(url).search);
    await run(['status']);
    expect(asked).toEqual(['?fresh=true']);
  });

  it('says of a service that its time limit has closed it, and when', async () => {
    await run(['http', 'web', '--port', '8080', '--ttl', '1m']);
    gateway.clock.advance(61_000);
    await expect.poll(async () => (await gateway.store.httpServices.all({ nodeId: 2 }))[0]?.enabled).toBe(false);
    const { out } = await run(['status']);
    expect(out).toMatch(/http +web +closed (?:on \S+ )?at \d\d:\d\d by its time limit/);
  });

  it('still says that it is up when the token was revoked', async () => {
    for (const { id } of await gateway.store.tokens.all({ nodeId: 2 })) {
      await gateway.store.write((tx) => tx.tokens.update(id, { revoked: true }));
    }
    const { code, out } = await run(['status']);
    expect(code).toBe(0);
    expect(out).toContain('The gateway refused the token of this host.');
    expect(out).not.toContain('could not be asked');
    expect(await run(['http', 'web', '--port', '1'])).toMatchObject({
      code: 4,
      err: 'sallyport: The gateway refused the token of this host. Join again by the line of the console, or with `sudo sallyport join --url URL`; or give a new token to `sudo sallyport config`.\n',
    });
  });

  it('is not connected any more as soon as the administrator disables the node: 3', async () => {
    await gateway.store.write((tx) => tx.nodes.update(2, { enabled: false }));
    const { code, err, out } = await run(['status']);
    expect(code).toBe(3);
    expect(out).toContain('the administrator has disabled this node');
    expect(err).toContain('This host is not connected: the administrator has disabled its node.');
  });

  it('--health asks no gateway', async () => {
    isReachable = false;
    expect(await run(['status', '--health'])).toMatchObject({ code: 0, out: 'up\n' });
    machine.up.clear();
    expect(await run(['status', '--health', '--json'])).toMatchObject({
      code: 3,
      out: '{"version":1,"link":"down","isConnected":false}\n',
    });
  });
});

describe('regenerate', () => {
  it('renews the keys and the token, and connects again', async () => {
    const before = { token: at.stored().token, text: machine.up.get('sallyport') };
    expect((await run(['regenerate', '--force'])).err).toContain('Connected with the new keys.');
    expect(at.stored().token).not.toBe(before.token);
    expect(machine.up.get('sallyport')).not.toBe(before.text);
    expect((await run(['status'])).code).toBe(0);
  });

  it('asks first, and changes nothing without a yes or without a gateway', async () => {
    const before = { ...at.stored(), text: machine.up.get('sallyport') };
    const no = [['Renew its keys and its token [y/N]: ', '\r']] as const;
    expect((await run(['regenerate'], { terminal: true, answers: no })).code).toBe(1);
    expect((await run(['regenerate'])).err).toContain('Give --force, since there is no terminal to ask.');
    isReachable = false;
    expect((await run(['regenerate', '--force'])).code).toBe(6);
    expect({ ...at.stored(), text: machine.up.get('sallyport') }).toEqual(before);
    expect(readdirSync(dirname(at.hostFile)).toSorted()).toEqual(['config.json', 'sallyport.conf']);
  });

  it('never loses the new token: what cannot be put in place stands next to it, for its owner alone', async () => {
    const before = at.stored();
    atGateway = ({ method, url }) => {
      if (!/regenerate/.test(`${method} ${url}`)) return;
      rmSync(at.hostFile);
      mkdirSync(join(at.hostFile, 'in the way'), { recursive: true });
    };
    const { code, err } = await run(['regenerate', '--force']);
    expect(code).toBe(1);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
    expect(err).toContain('The gateway has given this host a new token, but ');
    const kept = / stands in (\S+), which its owner alone can read: move it to /.exec(err)?.[1] ?? '';
    expect(statSync(kept).mode & 0o777).toBe(0o600);
    rmSync(at.hostFile, { recursive: true });
    renameSync(kept, at.hostFile);
    expect(at.stored()).toEqual({ ...before, token: expect.not.stringMatching(before.token) });
    expect((await run(['connect'])).code).toBe(0);
  });

  it('says when no one knows whether the gateway has renewed them', async () => {
    atGateway = ({ url }) => {
      if (url.includes('regenerate')) throw new TypeError('fetch failed');
    };
    const { code, err } = await run(['regenerate', '--force']);
    expect(code).toBe(6);
    expect(err).toContain('If it refuses the token then, it had renewed it');
  });
});

describe('gateway', () => {
  it('changes what a gateway forwards, at once', async () => {
    await gateway.store.write((tx) =>
      tx.nodes.update(2, { isGateway: true, gatewayNetworks: [{ interface: 'eth0', subnet: '192.0.2.0/24' }] }),
    );
    const { code, err } = await run(['gateway', '--subnet', '10.1.0.0/24', '--interface', 'eth1']);
    expect({ code, err }).toEqual({ code: 0, err: 'Node "web-1" is the gateway to 10.1.0.0/24 by eth1.\n' });
    expect(machine.up.get('sallyport')).toContain('oifname "eth1" ip daddr 10.1.0.0/24');
  });

  it('is refused to a node that is none', async () => {
    const { code, err } = await run(['gateway', '--subnet', '10.1.0.0/24']);
    expect(code).toBe(1);
    expect(err).toContain("This node isn't a gateway.");
  });
});
