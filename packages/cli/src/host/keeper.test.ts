import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createClient } from '@sallyport/sdk';
import { wgConfig } from '@sallyport/sdk/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import type { FakeMachine } from '../testing/fakeMachine.ts';
import { testHost } from '../testing/testHost.ts';
import { createHost } from './host.ts';
import { openHostConfig } from './hostConfig.ts';
import { KEEP_MAX_MS, KEEP_MS, backoffMs, keepConnected } from './keeper.ts';

let gateway: Awaited<ReturnType<typeof testHost>>['gateway'];
let machine: FakeMachine;
let hostFile: string;
let isReachable: boolean;
/** Where nothing answers any more. */
let deserted: Set<string>;
/** What the gateway names as the networks of the tunnel; null: as it does. */
let routes: string | null;
/** The address that it gives to this host then; null: as it does. */
let address: string | null;
/** Where the gateway's questions for names are answered. */
let answering: string[];
let isPortTaken: boolean;
/** What happens after the gateway has answered, once. */
let meanwhile: () => unknown;
let run: Awaited<ReturnType<typeof testHost>>['run'];

async function fetch(request: Request): Promise<Response> {
  if (!isReachable || deserted.has(new URL(request.url).origin)) throw new TypeError('fetch failed');
  const reply = await gateway.fetch(request);
  if (!request.url.endsWith('/api/cli/wgconfig')) return reply;
  const happens = meanwhile;
  meanwhile = () => undefined;
  await happens();
  if (routes === null) return reply;
  const wg = wgConfig.parse(await reply.json());
  return Response.json({ ...wg, address: address ?? wg.address, peer: { ...wg.peer, allowedIPs: routes } });
}

beforeEach(async () => {
  const host = await testHost();
  ({ gateway, machine, hostFile, run } = host);
  meanwhile = () => undefined;
  isReachable = true;
  deserted = new Set();
  routes = null;
  address = null;
  answering = [];
  isPortTaken = false;
  await host.login();
});

const gatewayCall = async (method: string, path: string, body?: object) => {
  const headers = { authorization: `Bearer ${await gateway.signIn()}`, 'content-type': 'application/json' };
  const reply = await gateway.fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return { text: await reply.text() };
};
const isUp = () => machine.up.has('sallyport');
const update = (change: object) => gateway.store.write((tx) => tx.nodes.update(2, change));

/** Keeps the host connected, one step of a test in each pause; fulfilled with what was said and how long the pauses were. */
async function keep(
  steps: readonly (() => unknown)[],
  endedBy = 'SIGTERM',
): Promise<{ said: string[]; pauses: number[] }> {
  const stop = new AbortController();
  const said: string[] = [];
  const pauses: number[] = [];
  const left = [...steps];
  const connect = async ({ url, token }: { url: string; token?: { reveal: () => string } }) =>
    createClient({ baseUrl: url, fetch, token: token?.reveal() ?? null });
  await keepConnected({
    host: createHost(machine, openHostConfig(hostFile), connect),
    say: (sentence) => said.push(sentence),
    now: gateway.clock.now,
    signal: stop.signal,
    random: () => 0.5,
    async resolver({ address: at, gateway: to }) {
      if (isPortTaken) throw Object.assign(new Error('taken'), { code: 'EADDRINUSE' });
      answering.push(`${at} to ${to}`);
      return { close: () => void answering.pop() };
    },
    async wait(ms) {
      pauses.push(ms);
      const step = left.shift();
      if (step) await step();
      else stop.abort(new Error(endedBy));
    },
  });
  return { said, pauses };
}

describe('who keeps a host connected', () => {
  it('connects what is not, and takes it down at the end', async () => {
    machine.up.clear();
    const { said } = await keep([() => expect(isUp()).toBe(true)]);
    expect(said).toEqual(['Node "web-1" is connected.']);
    expect(isUp()).toBe(false);
  });

  it('leaves the tunnel up for the next one, where systemd reloads it', async () => {
    const { said } = await keep([() => expect(isUp()).toBe(true)], 'SIGUSR2');
    expect(said).toEqual(['Ends for the next start, and leaves the tunnel up.']);
    expect(isUp()).toBe(true);
  });

  it('follows the administrator, who disables, enables and changes the node', async () => {
    const { said } = await keep([
      () => update({ enabled: false }),
      () => expect(isUp()).toBe(false),
      () => update({ enabled: true }),
      () => expect(isUp()).toBe(true),
      () => update({ keepalive: 25 }),
      () => expect(machine.up.get('sallyport')).toContain('PersistentKeepalive = 25'),
    ]);
    expect(said).toEqual([
      'Node "web-1" is disabled by the administrator; disconnected.',
      'Node "web-1" is connected.',
      'Node "web-1" is connected, with its new configuration.',
    ]);
  });

  it('connects no host that its user has disconnected meanwhile', async () => {
    machine.up.clear();
    meanwhile = async () => expect((await run(['disconnect'])).code).toBe(0);
    const { said } = await keep([() => expect(isUp()).toBe(false)]);
    expect(said).toEqual(['Disconnected, until `sallyport connect`.']);
  });

  it("answers the gateway's questions for names while the node is a gateway, and says once why it cannot", async () => {
    const site = { isGateway: true, gatewayNetworks: [{ interface: 'eth0', subnet: '192.168.7.0/24' }] };
    const here = ['10.88.0.2 to 10.88.0.1'];
    const { said } = await keep([
      () => expect(answering).toEqual([]),
      () => update(site),
      () => expect(answering).toEqual(here),
      () => update({ enabled: false }),
      () => expect(answering).toEqual([]),
      () => ((isPortTaken = true), update({ enabled: true })),
      () => expect(answering).toEqual([]),
      () => void (isPortTaken = false),
      () => expect(answering).toEqual(here),
    ]);
    expect(answering).toEqual([]);
    expect(said.filter((text) => text.includes('port 53'))).toEqual([
      "The gateway's questions for names behind this host are not answered: port 53 at 10.88.0.2 cannot be had (another program has it, which has to answer instead).",
    ]);
  });

  it('leaves the tunnel as it is while a gateway wants networks that no one on the host has agreed to', async () => {
    const { said } = await keep([
      () => void (routes = '10.88.0.0/16, 10.60.0.0/17'),
      () => expect(machine.up.get('sallyport')).toContain('AllowedIPs = 10.88.0.0/16\n'),
      () => {
        routes = null;
        return update({ enabled: false });
      },
      () => expect(isUp()).toBe(false),
      () => {
        routes = '10.60.0.0/16';
        return update({ enabled: true });
      },
      () => expect(isUp()).toBe(false),
    ]);
    expect(said[0]).toContain('`sudo sallyport connect --allow-networks 10.88.0.0/16,10.60.0.0/17`');
  });

  it('forwards to loopback what was agreed and is open, says what is not, and forgets what is gone', async () => {
    const service = async (backendPort: number) => {
      const { text } = await gatewayCall('POST', '/api/services/2/http', {
        name: `s${backendPort}`,
        pathLocation: `/${backendPort}`,
        backendPort,
      });
      return (JSON.parse(text) as { id: number }).id;
    };
    const forwarded = () => machine.ran.findLast((line) => line.startsWith('nft table')) ?? '';
    const stored = () => JSON.parse(readFileSync(hostFile, 'utf8'));
    machine.listens = ['tcp 127.0.0.1:8080', 'tcp 127.0.0.1:5432'];
    writeFileSync(hostFile, JSON.stringify({ ...stored(), allowLoopback: ['tcp/8080'] }));
    const id = await service(8080);
    const { said } = await keep([
      () => expect(forwarded()).toContain('tcp dport { 8080 } dnat'),
      () => service(5432),
      () => expect(forwarded()).not.toContain('5432'),
      () => gatewayCall('DELETE', `/api/services/2/http/${id}`),
      () => expect(machine.settings.get('net/ipv4/conf/sallyport/route_localnet')).toBe('0'),
      () => expect(stored().allowLoopback).toEqual([]),
    ]);
    expect(said).toEqual([
      'Forwards to the loopback address: tcp/8080.',
      expect.stringContaining('Not forwarded: tcp/5432 listens on the loopback address alone, and no command on'),
      expect.stringMatching(/^Not forwarded: tcp\/5432 .* `sudo sallyport http s5432 --port 5432`\.$/),
    ]);
  });

  /** Leaves the configuration as an older version did. */
  const forgetNetworks = () => {
    const { allowNetworks, ...older } = JSON.parse(readFileSync(hostFile, 'utf8'));
    expect(allowNetworks).toEqual(['10.88.0.0/16']);
    writeFileSync(hostFile, JSON.stringify(older));
  };

  it('goes on with the network of a host that an older version has joined, and keeps to that one', async () => {
    forgetNetworks();
    machine.used.push({ network: '10.0.0.0/8', use: 'a network that it reaches by eth0' });
    machine.up.clear();
    await keep([
      () => expect(isUp()).toBe(true),
      () => void (routes = '10.0.0.0/8'),
      () => expect(machine.up.get('sallyport')).toContain('AllowedIPs = 10.88.0.0/16\n'),
    ]);
    expect(JSON.parse(readFileSync(hostFile, 'utf8')).allowNetworks).toEqual(['10.88.0.0/16']);
  });

  it('takes no other network on such a host, from the first answer on', async () => {
    forgetNetworks();
    routes = '10.60.0.0/16';
    address = '10.60.0.5/32';
    const { said } = await keep([() => expect(machine.up.get('sallyport')).toContain('AllowedIPs = 10.88.0.0/16\n')]);
    expect(said[0]).toContain('10.60.0.0/16 in addition to 10.88.0.2/32, 10.88.0.0/16');
  });

  it('takes no network that such a host uses when its tunnel is gone', async () => {
    forgetNetworks();
    machine.up.clear();
    rmSync(hostFile.replace(/[^/]*$/, 'sallyport.conf'));
    machine.used.push({ network: '10.88.0.0/16', use: 'a network that it reaches by tun0' });
    const { said } = await keep([() => expect(isUp()).toBe(false)]);
    expect(said[0]).toContain('10.88.0.0/16, which overlaps 10.88.0.0/16, a network that it reaches by tun0');
  });

  it('follows `sallyport disconnect`', async () => {
    await keep([
      () => writeFileSync(hostFile, readFileSync(hostFile, 'utf8').replace('"connected": true', '"connected": false')),
      () => expect(readFileSync(hostFile, 'utf8')).toMatch(/"connected": false/),
      () => expect(isUp()).toBe(false),
    ]);
  });

  describe('whose gateway has another public address', () => {
    const [former, later] = ['https://203.0.113.10:9443', 'https://vpn.example.test:9443'];
    const stored = () => JSON.parse(readFileSync(hostFile, 'utf8'));
    const isAt = (url: string, otherUrl?: string) => () => expect(stored()).toMatchObject({ url, otherUrl });
    beforeEach(() => writeFileSync(hostFile, JSON.stringify({ ...stored(), url: former })));

    it('learns it while the former one leads there, and goes on with it after that', async () => {
      const { said } = await keep([
        isAt(former, later),
        () => deserted.add(former),
        isAt(later, former),
        () => update({ keepalive: 25 }),
        () => expect(machine.up.get('sallyport')).toContain('PersistentKeepalive = 25'),
        // The administrator may take the change back.
        () => void (deserted = new Set([later])),
        isAt(former, later),
      ]);
      expect(said.filter((text) => !text.includes('connected'))).toEqual([]);
    });

    it('keeps to the one that works while nothing answers at the other', async () => {
      deserted.add(later);
      await keep([() => expect(stored().otherUrl).toBeUndefined()]);
      deserted.add(former);
      const { said } = await keep([() => undefined]);
      expect(said[0]).toContain(`The gateway cannot be reached (${former}).`);
    });

    it('goes by the refusal of the one that answers', async () => {
      writeFileSync(hostFile, JSON.stringify({ ...stored(), otherUrl: later, token: 'sp_none_of_this_gateway' }));
      deserted.add(former);
      const { said } = await keep([isAt(former, later)]);
      expect(said[0]).toContain('refused the token');
    });
  });

  it('leaves the tunnel alone while the gateway cannot be asked, and asks more and more rarely', async () => {
    const { said, pauses } = await keep([
      () => void (isReachable = false),
      () => expect(isUp()).toBe(true),
      () => expect(isUp()).toBe(true),
      () => void (isReachable = true),
    ]);
    const reason = 'The gateway cannot be reached (http://127.0.0.1:1).';
    expect(said).toEqual([
      ...[20, 40, 60].map((seconds) => `${reason} Trying again in ${seconds} s.`),
      'Node "web-1": the gateway answers again.',
    ]);
    expect(pauses).toEqual([KEEP_MS, 2 * KEEP_MS, 4 * KEEP_MS, KEEP_MAX_MS, KEEP_MS]);
  });

  it('says nothing more of a failure whose pauses have stopped to grow, until there is news', async () => {
    isReachable = false;
    const tenTimes = Array.from({ length: 10 }, () => () => undefined);
    const { said, pauses } = await keep([...tenTimes, () => void (isReachable = true), () => undefined]);
    expect(pauses.slice(2, 10)).toEqual(Array.from({ length: 8 }, () => KEEP_MAX_MS));
    const seconds = said.map((sentence) => /in (\d+) s\.$/.exec(sentence)?.[1]);
    expect(seconds).toEqual(['20', '40', '60', undefined]);
  });

  it('restarts a tunnel through which nothing answers, and gives it time then', async () => {
    machine.answers = false;
    const once = () => expect(machine.ran.filter((words) => words.startsWith('wg-quick down'))).toHaveLength(1);
    const { said } = await keep([() => gateway.clock.advance(90_000), once, once]);
    expect(said.join()).toContain('does not answer through the tunnel; restarted it.');
  });

  it('never pauses much longer than a minute, and not as long as the next host', () => {
    expect(backoffMs(40, () => 1)).toBe(75_000);
    expect(backoffMs(0, () => 0)).not.toBe(backoffMs(0, () => 0.9));
  });
});
