import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TEST_ADMIN } from '@sallyport/gateway/testing';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { FakeMachine } from '../testing/fakeMachine.ts';
import { LOCAL_URL, testHost } from '../testing/testHost.ts';

const { username, password } = TEST_ADMIN;

let at: Awaited<ReturnType<typeof testHost>>;
let machine: FakeMachine;
let asked: string[];
/** What was asked about the administrator's session. */
const sessions = () => asked.flatMap((path) => /\/api\/auth\/(log\w+)$/.exec(path)?.[1] ?? []);

beforeEach(async () => {
  at = await testHost();
  ({ machine } = at);
  asked = [];
  at.answer = (request) => {
    asked.push(new URL(request.url).pathname);
    return at.gateway.fetch(request);
  };
});

const nodes = () => at.gateway.store.nodes.all();

describe('login', () => {
  it('makes this host a node by one command, as the machine is', async () => {
    const { code, err, out } = await at.login();
    expect({ code, out }).toEqual({ code: 0, out: '' });
    expect(err).toContain('Registered this host as node "web-1" (10.88.0.2).\nConnected to http://127.0.0.1:1.');
    expect(at.stored()).toEqual({
      version: 1,
      url: LOCAL_URL,
      token: expect.stringMatching(/^[\w-]{20,}$/),
      pin: null,
      interface: 'sallyport',
      connected: true,
      allowInternet: false,
      allowDns: false,
      allowNetworks: ['10.88.0.0/16'],
      allowLoopback: [],
    });
    expect(statSync(at.hostFile).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(at.hostFile)).mode & 0o777).toBe(0o700);
    expect(machine.up.get('sallyport')).toMatch(/^Address = 10\.88\.0\.2\/32$/m);
    expect(machine.ran.join('\n')).not.toContain(at.stored().token);
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
    const { code, err } = await at.login([], { terminal: true, answers });
    expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
    const gatewayNetworks = [{ interface: 'eth1', subnet: '192.0.2.0/24' }];
    const node = { name: 'edge-9', isGateway: true, gatewayNetworks, allowInternet: false };
    expect(await nodes()).toContainEqual(expect.objectContaining(node));
    expect(machine.up.get('sallyport')).toContain('oifname "eth1" ip daddr 192.0.2.0/24');
  });

  it('asks nothing at a terminal where every question has its flag', async () => {
    const flags = ['--name', 'web-9', '--no-gateway', '--no-allow-internet'];
    const { code, err } = await at.login(flags, { terminal: true });
    expect({ code, err }).toEqual({ code: 0, err: expect.stringMatching(/^Registered this host as node "web-9"/) });
  });

  it('takes every answer by a flag, and the password from standard input', async () => {
    const flags = ['--name', 'site-2', '--gateway', '--interface', 'lan0', '--subnet', '198.51.100.0/24'];
    const { code, out } = await at.login(
      ['--username', username, '--password-stdin', '--allow-internet', '--wg-interface', 'sp7', '--json', ...flags],
      { input: `${password}\n`, env: { SALLYPORT_PASSWORD: '' } },
    );
    expect(code).toBe(0);
    const document = { version: 1, url: LOCAL_URL, id: 2, name: 'site-2', address: '10.88.0.2', isConnected: true };
    expect(JSON.parse(out)).toEqual(document);
    expect(machine.up.get('sp7')).toContain('AllowedIPs = 0.0.0.0/0, ::/0');
  });

  const root = 'Only root may make this host a node. Run the same command with sudo.';
  const tools = "Not installed: WireGuard's tools. Run `apt-get install wireguard-tools` as root.";
  const taken = () => mkdirSync(at.hostFile, { recursive: true });
  it.each<[string, () => void, string[], number, string]>([
    ['anyone but root', () => void (machine.isRoot = false), [], 1, root],
    ['no tools', () => void machine.missing.add('wg-quick'), [], 1, tools],
    [
      'a gateway without nftables',
      () => void machine.missing.add('nft'),
      ['--gateway'],
      1,
      'install nftables` as root.',
    ],
    ['a bad subnet', () => undefined, ['--gateway', '--subnet', 'x'], 2, '--subnet must be a valid ip address'],
    [
      'a bad interface',
      () => undefined,
      ['--wg-interface', 'much-too-long-a-name'],
      2,
      '--wg-interface must be the name',
    ],
    ['plain HTTP elsewhere', () => undefined, ['--url', 'http://gateway.example.test'], 2, 'is plain HTTP'],
    ['a directory in the way', taken, [], 1, 'is in the way of'],
  ])('refuses %s before anything is registered', async (_, prepare, flags, code, sentence) => {
    prepare();
    const ended = await at.login(flags);
    expect(ended.code).toBe(code);
    expect(ended.err).toContain(sentence);
    expect(ended.err.trimEnd().split('\n')).toHaveLength(1);
    expect(await nodes()).toHaveLength(1);
    expect(machine.up.size).toBe(0);
  });

  it('refuses a name that another node has: 2', async () => {
    await at.gateway.seed();
    const { code, err } = await at.login(['--name', 'edge']);
    expect({ code, err }).toEqual({
      code: 2,
      err: 'sallyport: The gateway has a node "edge" already. Choose another one with --name NAME.\n',
    });
  });

  it('keeps what it was unless that is to be replaced', async () => {
    await at.login();
    const before = at.stored();
    expect(await at.login(['--name', 'second'])).toMatchObject({
      code: 1,
      err: `sallyport: This host is a node of ${LOCAL_URL} already. Give --force to replace that.\n`,
    });
    const no = [['Replace that [y/N]: ', '\r']] as const;
    expect((await at.login(['--name', 'second'], { terminal: true, answers: no })).code).toBe(1);
    expect(at.stored()).toEqual(before);
    expect((await at.login(['--name', 'second', '--force'])).code).toBe(0);
    expect(at.stored().token).not.toBe(before.token);
    expect(machine.up.get('sallyport')).toContain('10.88.0.3/32');
  });

  it('says that it is registered when only the connection fails, and connects later', async () => {
    machine.failsUp = () => ({ code: 1, out: '', err: 'RTNETLINK answers: File exists\n' });
    const { code, err } = await at.login();
    expect(code).toBe(1);
    expect(err).toContain(
      'This host is registered, but not connected: The interface sallyport could not be brought up',
    );
    machine.failsUp = null;
    expect((await at.run(['connect'])).code).toBe(0);
  });
});

describe('config and connect', () => {
  it('join by the token that the console shows', async () => {
    const { edgeId } = await at.gateway.seed();
    const token = await at.newToken(edgeId);
    const piped = await at.run(['config', '--url', LOCAL_URL, '--token-stdin'], { input: `${token}\n` });
    expect(piped).toMatchObject({ code: 0, out: '' });
    expect(at.stored()).toMatchObject({ token, connected: false });
    expect(machine.up.size).toBe(0);
    expect(await at.run(['connect', '--wait'])).toMatchObject({
      code: 0,
      err: 'Node "edge" is connected by sallyport.\nThe gateway answers through the tunnel.\n',
    });
    expect(at.stored().connected).toBe(true);
    expect((await at.run(['connect'])).err).toBe('Node "edge" is connected already.\n');
  });

  it.each([
    ['the handshake', () => void (machine.answers = false), 'the gateway at 198.51.100.7:51820 (UDP) has not answered'],
    [
      'pings through the tunnel',
      () => void (machine.answersPings = false),
      'its address in the tunnel, 10.88.0.1, has not answered',
    ],
  ])('connect is no success while the gateway does not answer %s: 3', async (_, silence, sentence) => {
    const { edgeId } = await at.gateway.seed();
    silence();
    let clock = 0;
    const hurried = vi.spyOn(performance, 'now').mockImplementation(() => (clock += 5000));
    try {
      const ended = await at.run(['connect', '--url', LOCAL_URL, '--token-stdin'], {
        input: await at.newToken(edgeId),
      });
      expect(ended.code).toBe(3);
      expect(ended.err).toContain('Waiting for the gateway to answer through the tunnel, 5 s …');
      expect(ended.err).toContain(sentence);
      expect(ended.err).not.toContain('is connected');
    } finally {
      hurried.mockRestore();
    }
    // The token was taken, and the tunnel may come to life when the port is opened.
    expect(at.stored().connected).toBe(true);
    machine.answers = machine.answersPings = true;
    expect((await at.run(['connect'])).code).toBe(0);
  });

  it('uses the DNS servers of the gateway only when this host has agreed', async () => {
    const { edgeId } = await at.gateway.seed();
    const input = await at.newToken(edgeId);
    await at.gateway.store.write((tx) => tx.nodes.update(edgeId, { dns: '192.0.2.53' }));
    const argv = ['connect', '--url', LOCAL_URL, '--token-stdin'];
    const { code, err } = await at.run(argv, { input });
    expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining('sallyport connect --allow-dns') });
    expect(machine.up.get('sallyport')).not.toContain('192.0.2.53');
    expect((await at.run(['connect', '--allow-dns'])).code).toBe(0);
    expect(machine.up.get('sallyport')).toContain('nameserver 192.0.2.53');
    expect((await at.run(['connect'])).err).toBe('Node "edge" is connected already.\n');
  });

  it('leads the tunnel to the host of --url where the gateway only knows a name that leads nowhere', async () => {
    const { edgeId } = await at.gateway.seed();
    machine.unknownNames.add('vpn.example.test');
    const url = 'http://gateway.example.test:1';
    const argv = ['connect', '--url', url, '--insecure-http', '--token-stdin'];
    const { code, err } = await at.run(argv, { input: await at.newToken(edgeId) });
    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringMatching(
        /reached as "vpn\.example\.test".*leads to gateway\.example\.test instead\. SALLYPORT_VPN_HOST/,
      ),
    });
    expect(machine.up.get('sallyport')).toContain('\nEndpoint = gateway.example.test:51820\n');
  });

  it('connect with --url takes the token from a file, and keeps it only when it works', async () => {
    const { edgeId } = await at.gateway.seed();
    const file = join(dirname(at.configDirectory), 'token');
    writeFileSync(file, 'sp_nothing_of_the_kind\n');
    const argv = ['connect', '--url', LOCAL_URL, '--token-file', file];
    expect(await at.run(argv)).toMatchObject({
      code: 4,
      err: expect.stringContaining('refused the token of this host'),
    });
    expect(existsSync(at.hostFile)).toBe(false);
    writeFileSync(file, await at.newToken(edgeId));
    expect((await at.run(argv)).code).toBe(0);
  });

  it.each([
    [['config', '--url', LOCAL_URL], 2, 'There is no terminal to ask for the token of the node.'],
    [['config', '--url', LOCAL_URL, '--token-stdin'], 2, 'The token is empty.'],
    [['config', '--url', LOCAL_URL, '--config', '/proc/sallyport/config.json'], 1, '/proc/sallyport'],
    [['config', '--url', LOCAL_URL, '--token-file', '/nonexistent'], 2, 'could not be read from /nonexistent (ENOENT)'],
    [['connect'], 3, 'This host is not a node of a gateway.'],
    [['disconnect'], 3, 'This host is not a node of a gateway.'],
    [['http', 'web', '--port', '80'], 3, 'This host is not a node of a gateway.'],
    [['regenerate', '--force'], 3, 'This host is not a node of a gateway.'],
  ])('%j ends with a sentence and %i', async (argv, code, sentence) => {
    const ended = await at.run(argv, { input: '' });
    expect(ended.code).toBe(code);
    expect(ended.err).toContain(sentence);
    expect(existsSync(at.hostFile)).toBe(false);
  });

  it('says that a half-written configuration is damaged, and leaves it', async () => {
    mkdirSync(dirname(at.hostFile), { recursive: true });
    writeFileSync(at.hostFile, '{"version":1,"url":"ht');
    for (const argv of [['connect'], ['status'], ['http', 'a', '--port', '1'], ['config', '--url', LOCAL_URL]]) {
      const { code, err } = await at.run(argv);
      expect(code).toBe(1);
      expect(err).toContain(`${at.hostFile} is damaged and was left as it is. Repair it or delete it, then`);
    }
    expect(readFileSync(at.hostFile, 'utf8')).toBe('{"version":1,"url":"ht');
  });

  it('disconnect takes the tunnel down and says so to anyone who keeps it up', async () => {
    await at.login();
    expect(await at.run(['disconnect'])).toMatchObject({ code: 0, err: 'Disconnected.\n' });
    expect(machine.up.size).toBe(0);
    expect(at.stored().connected).toBe(false);
    expect(readdirSync(dirname(at.hostFile))).toEqual(['config.json']);
    expect((await at.run(['disconnect'])).err).toBe('This host was not connected.\n');
  });

  it('does not connect a node that the administrator has disabled: 3', async () => {
    await at.login();
    await at.run(['disconnect']);
    await at.gateway.store.write((tx) => tx.nodes.update(2, { enabled: false }));
    const { code, err } = await at.run(['connect']);
    expect(code).toBe(3);
    expect(err).toContain('The administrator has disabled this node, "web-1".');
    expect(machine.up.size).toBe(0);
  });
});

describe('programs that are missing', () => {
  /** At a terminal whose user answers nothing. */
  const atTerminal = { terminal: true, input: '', env: { SALLYPORT_URL: 'http://127.0.0.1:2' } };
  const all = 'Run `apt-get install wireguard-tools iproute2 nftables` as root.';
  const nftables = 'Run `apt-get install nftables` as root.';
  const choice = ' With --no-gateway this host needs no nftables.';

  it.each([
    ['login', ['wg', 'ip', 'nft'], `${all}${choice}`],
    ['login', ['nft'], `${nftables}${choice}`],
    ['login --gateway', ['nft'], nftables],
    ['connect', ['wg', 'ip', 'nft'], all],
  ])('are named by `%s` before any question: %j', async (line, programs, next) => {
    await at.login();
    for (const program of programs) machine.missing.add(program);
    const { code, err } = await at.run(line.split(' '), atTerminal);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/^sallyport: Not installed: /) });
    expect(err.trimEnd().endsWith(next)).toBe(true);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
  });

  it('stop no host that is no gateway: of nftables it only hears before the first question', async () => {
    machine.missing.add('nft');
    expect((await at.login(['--name', 'web-9', '--no-gateway', '--no-allow-internet'], { terminal: true })).code).toBe(
      0,
    );
    const { err } = await at.run(['connect'], atTerminal);
    expect(err).toMatch(/^If this node is a gateway .* Run `apt-get install nftables` as root\.\nToken of the node: /);
  });
});
