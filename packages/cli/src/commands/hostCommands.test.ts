import { TEST_ADMIN, createTestGateway } from '@sallyport/gateway/testing';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type FakeMachine, createFakeMachine } from '../testing/fakeMachine.ts';
import { type RunOptions, createShell } from '../testing/shell.ts';

const { username, password } = TEST_ADMIN;

let gateway: Awaited<ReturnType<typeof createTestGateway>>;
let shell: ReturnType<typeof createShell>;
let machine: FakeMachine;
let asked: string[];
/** What was asked about the administrator's session. */
const sessions = () => asked.flatMap((path) => /\/api\/auth\/(log\w+)$/.exec(path)?.[1] ?? []);
/** What a test puts in front of the gateway. */
let intercept: (request: Request) => Response | null;

beforeEach(async () => {
  gateway = await createTestGateway();
  machine = createFakeMachine(gateway.clock.now);
  intercept = () => null;
  asked = [];
  const fetch = (request: Request) => {
    asked.push(new URL(request.url).pathname);
    const answer = intercept(request);
    return answer ? Promise.resolve(answer) : gateway.fetch(request);
  };
  shell = createShell(fetch, gateway.clock.now, machine);
  return () => gateway.stop();
});

// By plain HTTP to loopback no certificate is asked for.
const LOCAL_URL = 'http://127.0.0.1:1';
const env = { SALLYPORT_URL: LOCAL_URL, SALLYPORT_USERNAME: username, SALLYPORT_PASSWORD: password };
const run = (argv: string[], options: RunOptions = {}) =>
  shell.run(argv, { ...options, env: { ...env, ...options.env } });
const stored = () => JSON.parse(readFileSync(shell.hostFile, 'utf8'));
const nodes = () => gateway.store.nodes.all();
const joinBy = (...flags: string[]) => run(['login', ...flags]);

describe('login', () => {
  it('makes this host a node by one command, as the machine is', async () => {
    const { code, err, out } = await joinBy();
    expect({ code, out }).toEqual({ code: 0, out: '' });
    expect(err).toContain('Registered this host as node "web-1" (10.88.0.2).\nConnected to http://127.0.0.1:1.');
    expect(stored()).toEqual({
      version: 1,
      url: LOCAL_URL,
      token: expect.stringMatching(/^[\w-]{20,}$/),
      pin: null,
      interface: 'sallyport',
      connected: true,
      allowInternet: false,
      allowDns: false,
      allowNetworks: ['10.88.0.0/16'],
    });
    expect(statSync(shell.hostFile).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(shell.hostFile)).mode & 0o777).toBe(0o700);
    expect(machine.up.get('sallyport')).toMatch(/^Address = 10\.88\.0\.2\/32$/m);
    expect(machine.ran.join('\n')).not.toContain(stored().token);
    expect(sessions()).toEqual(['login', 'logout']);
  });

  it('asks for everything that no flag says', async () => {
    const answers = [
      ['Name of the node [web-1]: ', 'edge-9\r'],
      ['gateway to the network that it is in [y/N]: ', 'y\r'],
      ['Interface [eth0]: ', 'eth1\r'],
      ['Subnet behind it [192.0.2.0/24]: ', '\r'],
      ['through the gateway [y/N]: ', 'n\r'],
    ] as const;
    const { code, err } = await run(['login'], { terminal: true, answers });
    expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
    expect(await nodes()).toContainEqual(
      expect.objectContaining({
        name: 'edge-9',
        isGateway: true,
        gatewayNetworks: [{ interface: 'eth1', subnet: '192.0.2.0/24' }],
        allowInternet: false,
      }),
    );
    expect(machine.up.get('sallyport')).toContain('oifname "eth1" ip daddr 192.0.2.0/24');
  });

  it('asks nothing at a terminal where every question has its flag', async () => {
    const flags = ['--name', 'web-9', '--no-gateway', '--no-allow-internet'];
    const { code, err } = await run(['login', ...flags], { terminal: true });
    expect({ code, err }).toEqual({ code: 0, err: expect.stringMatching(/^Registered this host as node "web-9"/) });
  });

  it('takes every answer by a flag, and the password from standard input', async () => {
    const flags = ['--name', 'site-2', '--gateway', '--interface', 'lan0', '--subnet', '198.51.100.0/24'];
    const { code, out } = await run(
      [
        'login',
        '--username',
        username,
        '--password-stdin',
        '--allow-internet',
        '--wg-interface',
        'sp7',
        '--json',
        ...flags,
      ],
      { input: `${password}\n`, env: { SALLYPORT_PASSWORD: '' } },
    );
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      version: 1,
      url: LOCAL_URL,
      id: 2,
      name: 'site-2',
      address: '10.88.0.2',
      isConnected: true,
    });
    expect(machine.up.get('sp7')).toContain('AllowedIPs = 0.0.0.0/0, ::/0');
  });

  it.each<[string, () => void, string[], number, string]>([
    [
      'nobody but root',
      () => void (machine.isRoot = false),
      [],
      1,
      'Only root may make this host a node. Run the same command with sudo.',
    ],
    [
      'no tools',
      () => void machine.missing.add('wg-quick'),
      [],
      1,
      "Not installed: WireGuard's tools. Run `apt-get install wireguard-tools` as root.",
    ],
    [
      'a gateway without nftables',
      () => void machine.missing.add('nft'),
      ['--gateway'],
      1,
      'Run `apt-get install nftables` as root.',
    ],
    ['a bad subnet', () => undefined, ['--gateway', '--subnet', 'x'], 2, '--subnet must be a valid ip address'],
    [
      'a bad interface',
      () => undefined,
      ['--wg-interface', 'much-too-long-a-name'],
      2,
      '--wg-interface must be the name of an interface',
    ],
    ['plain HTTP elsewhere', () => undefined, ['--url', 'http://gateway.example.test'], 2, 'is plain HTTP'],
    ['a directory in the way', () => mkdirSync(shell.hostFile, { recursive: true }), [], 1, 'is in the way of'],
  ])('refuses %s before anything is registered', async (_, prepare, flags, code, sentence) => {
    prepare();
    const ended = await joinBy(...flags);
    expect(ended.code).toBe(code);
    expect(ended.err).toContain(sentence);
    expect(ended.err.trimEnd().split('\n')).toHaveLength(1);
    expect(await nodes()).toHaveLength(1);
    expect(machine.up.size).toBe(0);
  });

  it('refuses a wrong password: 4', async () => {
    const { code, err } = await run(['login'], { env: { SALLYPORT_PASSWORD: 'wrong' } });
    expect({ code, err }).toEqual({ code: 4, err: 'sallyport: The user name or the password is wrong. Try again.\n' });
    expect(existsSync(shell.hostFile)).toBe(false);
  });

  it('refuses a name that another node has: 2', async () => {
    await gateway.seed();
    const { code, err } = await joinBy('--name', 'edge');
    expect({ code, err }).toEqual({
      code: 2,
      err: 'sallyport: The gateway has a node "edge" already. Choose another name with --name.\n',
    });
  });

  it('keeps what it was unless that is to be replaced', async () => {
    await joinBy();
    const before = stored();
    expect(await joinBy('--name', 'second')).toMatchObject({
      code: 1,
      err: `sallyport: This host is a node of ${LOCAL_URL} already. Give --force to replace that.\n`,
    });
    const no = [['Replace that [y/N]: ', '\r']] as const;
    expect((await run(['login', '--name', 'second'], { terminal: true, answers: no })).code).toBe(1);
    expect(stored()).toEqual(before);
    expect((await joinBy('--name', 'second', '--force')).code).toBe(0);
    expect(stored().token).not.toBe(before.token);
    expect(machine.up.get('sallyport')).toContain('10.88.0.3/32');
  });

  it.each([
    ['Name of the node', '\x03', 130],
    ['Name of the node', '\x04', 2],
    ['is this node a gateway', '\x03', 130],
    ['through the gateway', '\x03', 130],
  ])('leaves nothing behind when somebody ends "%s" by %j', async (question, key, code) => {
    const answers = ['Name of the node', 'gateway to the network', 'through the gateway'].map(
      (each) =>
        [each, each.includes(question.replace('is this node a gateway', 'gateway to the')) ? key : '\r'] as const,
    );
    const ended = await run(['login'], { terminal: true, answers });
    expect(ended.code).toBe(code);
    expect(await nodes()).toHaveLength(1);
    expect(existsSync(shell.hostFile)).toBe(false);
    expect(sessions()).toEqual(['login', 'logout']);
  });

  it('says that it is registered when only the connection fails, and connects later', async () => {
    machine.failsUp = () => ({ code: 1, out: '', err: 'RTNETLINK answers: File exists\n' });
    const { code, err } = await joinBy();
    expect(code).toBe(1);
    expect(err).toContain(
      'This host is registered, but not connected: The interface sallyport could not be brought up',
    );
    machine.failsUp = null;
    expect((await run(['connect'], { env: { SALLYPORT_URL: '' } })).code).toBe(0);
  });

  it('does not take another server for a gateway: 6', async () => {
    intercept = () => new Response('<html>', { status: 404, headers: { 'content-type': 'text/html' } });
    const { code, err } = await joinBy();
    expect(code).toBe(6);
    expect(err).toContain('is not a Sallyport gateway.');
  });
});

/** A run behind the joining: the configuration alone says where the gateway is. */
const later = (argv: string[], options: RunOptions = {}) => shell.run(argv, options);

describe('config and connect', () => {
  it('join by the token that the console shows', async () => {
    const { edgeId } = await gateway.seed();
    const token = await newToken(edgeId);
    const piped = await later(['config', '--url', LOCAL_URL, '--token-stdin'], { input: `${token}\n` });
    expect(piped).toMatchObject({ code: 0, out: '' });
    expect(stored()).toMatchObject({ token, connected: false });
    expect(machine.up.size).toBe(0);
    expect(await later(['connect', '--wait'])).toMatchObject({
      code: 0,
      err: 'Node "edge" is connected by sallyport.\nThe gateway answers through the tunnel.\n',
    });
    expect(stored().connected).toBe(true);
    expect((await later(['connect'])).err).toBe('Node "edge" is connected already.\n');
  });

  it.each([
    ['the handshake', () => void (machine.answers = false), 'the gateway at 198.51.100.7:51820 (UDP) has not answered'],
    [
      'pings through the tunnel',
      () => void (machine.answersPings = false),
      'its address in the tunnel, 10.88.0.1, has not answered',
    ],
  ])('connect is no success while the gateway does not answer %s: 3', async (_, silence, sentence) => {
    const { edgeId } = await gateway.seed();
    silence();
    let clock = 0;
    const hurried = vi.spyOn(performance, 'now').mockImplementation(() => (clock += 5000));
    try {
      const ended = await later(['connect', '--url', LOCAL_URL, '--token-stdin'], { input: await newToken(edgeId) });
      expect(ended.code).toBe(3);
      expect(ended.err).toContain('Waiting for the gateway to answer through the tunnel, 5 s …');
      expect(ended.err).toContain(sentence);
      expect(ended.err).not.toContain('is connected');
    } finally {
      hurried.mockRestore();
    }
    // The token was taken, and the tunnel may come to life when the port is opened.
    expect(stored().connected).toBe(true);
    machine.answers = machine.answersPings = true;
    expect((await later(['connect'])).code).toBe(0);
  });

  it('uses the DNS servers of the gateway only when this host has agreed', async () => {
    const { edgeId } = await gateway.seed();
    const input = await newToken(edgeId);
    await gateway.store.write((tx) => tx.nodes.update(edgeId, { dns: '192.0.2.53' }));
    const argv = ['connect', '--url', LOCAL_URL, '--token-stdin'];
    const { code, err } = await later(argv, { input });
    expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining('sallyport connect --allow-dns') });
    expect(machine.up.get('sallyport')).not.toContain('192.0.2.53');
    expect((await later(['connect', '--allow-dns'])).code).toBe(0);
    expect(machine.up.get('sallyport')).toContain('nameserver 192.0.2.53');
    expect((await later(['connect'])).err).toBe('Node "edge" is connected already.\n');
  });

  it('leads the tunnel to the host of --url where the gateway only knows a name that leads nowhere', async () => {
    const { edgeId } = await gateway.seed();
    machine.unknownNames.add('vpn.example.test');
    const url = 'http://gateway.example.test:1';
    const argv = ['connect', '--url', url, '--insecure-http', '--token-stdin'];
    const { code, err } = await later(argv, { input: await newToken(edgeId) });
    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringMatching(
        /reached as "vpn\.example\.test".*leads to gateway\.example\.test instead\. SALLYPORT_VPN_HOST/,
      ),
    });
    expect(machine.up.get('sallyport')).toContain('\nEndpoint = gateway.example.test:51820\n');
  });

  it('connect with --url takes the token from a file, and keeps it only when it works', async () => {
    const { edgeId } = await gateway.seed();
    const file = join(dirname(shell.configDirectory), 'token');
    writeFileSync(file, 'sp_nothing_of_the_kind\n');
    const argv = ['connect', '--url', LOCAL_URL, '--token-file', file];
    expect(await later(argv)).toMatchObject({
      code: 4,
      err: expect.stringContaining('refused the token of this host'),
    });
    expect(existsSync(shell.hostFile)).toBe(false);
    writeFileSync(file, await newToken(edgeId));
    expect((await later(argv)).code).toBe(0);
  });

  it.each([
    [['config', '--url', LOCAL_URL], 2, 'There is no terminal to ask for the token of the node.'],
    [['config', '--url', LOCAL_URL, '--token-file', '/nonexistent'], 2, 'could not be read from /nonexistent (ENOENT)'],
    [['connect'], 3, 'This host is not a node of a gateway.'],
    [['disconnect'], 3, 'This host is not a node of a gateway.'],
    [['http', 'web', '--port', '80'], 3, 'This host is not a node of a gateway.'],
    [['regenerate', '--force'], 3, 'This host is not a node of a gateway.'],
  ])('%j ends with a sentence and %i', async (argv, code, sentence) => {
    const ended = await later(argv);
    expect(ended.code).toBe(code);
    expect(ended.err).toContain(sentence);
    expect(existsSync(shell.hostFile)).toBe(false);
  });

  it('says that a half-written configuration is damaged, and leaves it', async () => {
    mkdirSync(dirname(shell.hostFile), { recursive: true });
    writeFileSync(shell.hostFile, '{"version":1,"url":"ht');
    for (const argv of [['connect'], ['status'], ['http', 'a', '--port', '1'], ['config', '--url', LOCAL_URL]]) {
      const { code, err } = await later(argv);
      expect(code).toBe(1);
      expect(err).toContain(`${shell.hostFile} is damaged and was left as it is. Repair it or delete it, then`);
    }
    expect(readFileSync(shell.hostFile, 'utf8')).toBe('{"version":1,"url":"ht');
  });

  it('disconnect takes the tunnel down and says so to anyone who keeps it up', async () => {
    await joinBy();
    expect(await later(['disconnect'])).toMatchObject({ code: 0, err: 'Disconnected.\n' });
    expect(machine.up.size).toBe(0);
    expect(stored().connected).toBe(false);
    expect(readdirSync(dirname(shell.hostFile))).toEqual(['config.json']);
    expect((await later(['disconnect'])).err).toBe('This host was not connected.\n');
  });

  it('does not connect a node that the administrator has disabled: 3', async () => {
    await joinBy();
    await later(['disconnect']);
    await gateway.store.write((tx) => tx.nodes.update(2, { enabled: false }));
    const { code, err } = await later(['connect']);
    expect(code).toBe(3);
    expect(err).toContain('The administrator has disabled this node, "web-1".');
    expect(machine.up.size).toBe(0);
  });
});

/** A token for a node, as the console's administrator gets it. */
async function newToken(nodeId: number): Promise<string> {
  const reply = await gateway.fetch(`/api/nodes/${nodeId}/pats`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await gateway.signIn()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'test' }),
  });
  return ((await reply.json()) as { token: string }).token;
}
