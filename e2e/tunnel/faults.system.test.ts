import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Namespace, namespacesProblem } from '../support/namespaces.ts';
import { begunAgain, eventually, type Json, openTunnelScene, PORTS, type TunnelScene } from '../support/tunnelScene.ts';

const problem = await namespacesProblem();
if (problem !== null) process.stdout.write(`The faults of the tunnel are skipped: ${problem}.\n`);

/** More than keep-alives, less than a page. */
const A_VISIT_BYTES = 100;

const visitor = new URL('../support/visitor.mjs', import.meta.url).pathname;

describe.skipIf(problem !== null)('what may happen to the tunnel', () => {
  let scene: TunnelScene;
  let good: Namespace;
  let bad: Namespace;
  let badTunnel = '';
  let goodId = 0;

  beforeAll(async () => {
    scene = await openTunnelScene();
    good = await scene.host('good', '198.18.0.20');
    bad = await scene.host('bad', '198.18.0.21');
    for (const [where, name] of [
      [good, 'good'],
      [bad, 'bad'],
    ] as const) {
      const { id, address } = (await scene.api('POST /api/nodes', { name })).body;
      const joined = await scene.join(where, Number(id));
      if (where === bad) badTunnel = joined.interface;
      else goodId = Number(id);
      await scene.serve(where, String(address), name);
      await scene.api(`POST /api/services/${Number(id)}/http`, {
        name,
        pathLocation: `/${name}`,
        backendPort: PORTS.http,
      });
    }
    await scene.served('/good', /^good http from 10\.88\.0\.1 200$/);
  }, 300_000);
  afterAll(() => scene?.close(), 60_000);

  const scan = async (host: string, ...ports: number[]): Promise<unknown> =>
    JSON.parse(await bad.exec(process.execPath, visitor, 'scan', host, '1500', ...ports.map(String)));

  it('a node that scans the gateway and its neighbours gets nothing, nor with an address that is not its own', async () => {
    const { console: consolePort, http, https, api } = scene.gateway.ports;
    const ports = [consolePort, http, https, api, PORTS.http, PORTS.tcp, 22, 53, 80, 443];
    expect(await scan('10.88.0.1', ...ports)).toEqual([]);
    expect(await scan('10.88.0.2', ...ports)).toEqual([]);
    // What passes WireGuard is counted before any other rule looks at it, in the order in which it was sent.
    await scene.home.exec(
      'nft',
      `table ip seen { chain in { type filter hook prerouting priority -300; iifname "${scene.tunnel}" tcp dport 7 ip saddr 10.88.0.3 counter; iifname "${scene.tunnel}" tcp dport 7 ip saddr 10.88.0.2 counter; }; }`,
    );
    await bad.exec('ip', 'address', 'add', '10.88.0.2/32', 'dev', badTunnel);
    for (const source of ['10.88.0.2', '10.88.0.3']) {
      const args = ['--silent', '--max-time', '2', '--interface', source, 'http://10.88.0.1:7/'];
      await bad.exec('curl', ...args).catch(() => '');
    }
    const seen = await eventually(
      () => scene.home.exec('nft', 'list', 'table', 'ip', 'seen'),
      (text) => /saddr 10\.88\.0\.3 counter packets [1-9]/.test(text),
    );
    expect(seen).toMatch(/saddr 10\.88\.0\.2 counter packets 0 /);
    await bad.exec('ip', 'address', 'delete', '10.88.0.2/32', 'dev', badTunnel);
    expect(await scene.visit('/good')).toBe('good http from 10.88.0.1 200');
  });

  it('a packet for a node never leaves by another way, whatever became of the interface', async () => {
    await scene.home.exec('ip', 'route', 'replace', 'default', 'via', '198.18.0.9');
    const leaks =
      'table ip watch { chain out { type filter hook postrouting priority 300; oifname "eth0" ip daddr 10.88.0.0/16 counter; }; }';
    await scene.home.exec('nft', leaks);
    await scene.home.exec('ip', 'link', 'delete', scene.tunnel);
    for (let count = 0; count < 5; count += 1) await scene.visit('/good');
    expect(await scene.served('/good')).toBe('good http from 10.88.0.1 200');
    expect(await scene.home.exec('nft', 'list', 'table', 'ip', 'watch')).toContain('counter packets 0 bytes 0');
  });

  it('WireGuard is killed: it is back by itself, with all nodes', async () => {
    const pids = (await scene.home.exec('pgrep', '-f', `^wireguard-go ${scene.tunnel}$`).catch(() => '')).trim();
    // Where the kernel does WireGuard itself there is nothing to kill.
    if (pids !== '') process.kill(Number(pids), 'SIGKILL');
    await scene.served('/good');
    expect(await scene.served('/bad')).toBe('bad http from 10.88.0.1 200');
  });

  it('the packet filter is flushed: it is made again', async () => {
    await scene.home.exec('nft', 'flush', 'ruleset');
    await eventually(
      () => scene.home.exec('nft', 'list', 'tables'),
      (tables) => tables.includes('sallyport_'),
    );
    expect(await scan('10.88.0.1', scene.gateway.ports.https)).toEqual([]);
  });

  it('each change of the traffic of a node is streamed', async () => {
    const heard: { at: number; received: number }[] = [];
    const end = await scene.stream('/api/nodes/stream?page=1&limit=10', (message) => {
      const row = (message as unknown as Json[]).find((each) => each['id'] === goodId);
      heard.push({ at: performance.now(), received: Number(row?.['transferRx']) });
    });
    const delays: number[] = [];
    for (let count = 0; count < 5; count += 1) {
      await eventually(
        async () => heard.length,
        (length) => length > 0,
      );
      await delay(count * 190);
      const before = Number(heard.at(-1)?.received);
      await scene.visit('/good');
      const since = performance.now();
      const streamed = await eventually(
        async () => Number(heard.at(-1)?.received),
        (received) => received > before + A_VISIT_BYTES,
      );
      expect(streamed).toBeGreaterThan(before + A_VISIT_BYTES);
      delays.push(Math.round(Number(heard.at(-1)?.at) - since));
    }
    end();
    process.stdout.write(`A change is streamed after ${delays.join(', ')} ms\n`);
  }, 60_000);

  it('nodes come, change and go: nobody else is disturbed', async () => {
    const shaken = await scene.handshakes();
    expect([...shaken.values()].filter((at) => at > 0)).toHaveLength(2);
    const { id } = (await scene.api('POST /api/nodes', { name: 'before' })).body;
    const visits = await scene.visitSteadily('/good', 50, 'good http');
    const site = { name: 'new', isGateway: true, gatewayNetwork: '198.19.77.0/24' };
    const made = (await scene.api('POST /api/nodes', site)).body;
    for (const [call, body] of [
      [`PATCH /api/nodes/${Number(id)}`, { keepalive: 25 }],
      [`PATCH /api/nodes/${Number(id)}/disable`, undefined],
      [`PATCH /api/nodes/${Number(id)}/enable`, undefined],
      [`DELETE /api/nodes/${Number(id)}`, undefined],
      [`DELETE /api/nodes/${Number(made['id'])}`, undefined],
    ] as const) {
      expect((await scene.api(call, body)).status).toBeLessThan(300);
      await visits.more(5);
    }
    const { failed, reasons } = await visits.end();
    expect({ failed, reasons }).toEqual({ failed: 0, reasons: {} });
    // Not one had to begin again.
    expect(begunAgain(shaken, await scene.handshakes())).toEqual([]);
  });

  it('the gateway is restarted under 100 requests a second through the tunnel: none fails', async () => {
    const visits = await scene.visitSteadily('/good', 100, 'good http');
    await visits.more(100);
    await scene.gateway.end('SIGKILL');
    await visits.more(50);
    await scene.gateway.start();
    await visits.more(150);
    const { sent, failed, reasons } = await visits.end();
    process.stdout.write(
      `Restart under load through the tunnel: ${sent} sent, ${failed} failed ${JSON.stringify(reasons)}\n`,
    );
    expect({ failed, reasons }).toEqual({ failed: 0, reasons: {} });
  });

  it('the gateway is killed while 20 nodes are being created: each that was answered works, none is half', async () => {
    const answered: number[] = [];
    const creating = Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        scene.api('POST /api/nodes', { name: `many ${index}` }).then(
          ({ status, body }) => (status < 300 ? answered.push(Number(body['id'])) : 0),
          () => 0,
        ),
      ),
    );
    await eventually(
      async () => answered.length,
      (count) => count > 0,
    );
    await scene.gateway.end('SIGKILL');
    await creating;
    await scene.gateway.start();
    const nodes = (await scene.api('GET /api/nodes?limit=100')).body['data'] as Record<string, unknown>[];
    const remote = nodes.filter(({ isLocal }) => isLocal !== true);
    for (const id of answered) expect(remote.map((node) => node['id'])).toContain(id);
    const peers = await scene.home.exec('wg', 'show', scene.tunnel, 'allowed-ips');
    expect(remote.filter(({ problem: why }) => why !== null)).toEqual([]);
    expect(
      peers
        .trim()
        .split('\n')
        .map((line) => line.split('\t')[1])
        .toSorted((left, right) => String(left).localeCompare(String(right))),
    ).toEqual(
      remote.map(({ address }) => `${String(address)}/32`).toSorted((left, right) => left.localeCompare(right)),
    );
    const last = answered.at(-1) ?? 0;
    const host = await scene.host('late', '198.18.0.40');
    await scene.join(host, last);
    await eventually(
      async () => (await scene.api(`GET /api/nodes/${last}`)).body,
      ({ status }) => status === 'online',
    );
    expect(await scene.visit('/good')).toBe('good http from 10.88.0.1 200');
  });
});
