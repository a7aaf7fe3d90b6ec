import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Started } from '../../packages/cli/src/testing/process.ts';
import { type Namespace, namespacesProblem } from '../support/namespaces.ts';
import { openPackagedScene, type PackagedHost, type PackagedScene } from '../support/packagedHosts.ts';
import { eventually, pageFrom, PORTS, SILENCE_SECONDS, startScript } from '../support/tunnelScene.ts';

const problem = await namespacesProblem();
if (problem !== null) process.stderr.write(`skipped: services on a loopback address, because ${problem}\n`);

const ADDRESS = '198.18.0.21';
/** What no one on the host has exposed: a database, say, that trusts its own machine. */
const SECRET_PORT = 8090;
/** A server that listens on every address. */
const OPEN_PORT = 8085;
const TABLE = ['table', 'ip', 'sallyport_loopback_sallyport'];
const ROUTES = '/proc/sys/net/ipv4/conf/sallyport/route_localnet';

describe.skipIf(problem !== null)('a server that listens on the loopback address of a joined host', () => {
  let scene: PackagedScene;
  let network: Namespace;
  let host: PackagedHost;
  let node = 0;
  let own = '';

  const serveWeb = async (address: string, port: number, word: string) => {
    const server = `require('node:http').createServer((asked, reply) => reply.end('${word} to ' + asked.socket.remoteAddress))`;
    const ready = `.listen(${port}, '${address}', () => process.stdout.write('ready\\n'))`;
    await startScript(network, server + ready).hear('ready\n');
  };

  beforeAll(async () => {
    scene = await openPackagedScene();
    network = await scene.host('web', ADDRESS);
    await scene.serve(network, '127.0.0.1', 'web');
    await serveWeb('127.0.0.1', SECRET_PORT, 'secret');
    await serveWeb('0.0.0.0', OPEN_PORT, 'open');
    host = await scene.packagedHost(network);
    node = await scene.joinByCommand(host, 'web');
    own = String((await scene.api(`GET /api/nodes/${node}`)).body['address']);
  }, 300_000);
  afterAll(() => scene?.close(), 60_000);

  /** What keeps the host connected, until the test is over; the tunnel stays. */
  function keep(): Started {
    const keeper = host.start(['sallyport', 'service', 'run', '--every', '1']);
    onTestFinished(async () => {
      keeper.child.kill('SIGKILL');
      await keeper.ended;
    });
    return keeper;
  }
  const rules = async () => (await host.run(['nft', 'list', ...TABLE])).out;
  const untilRules = (isRight: (text: string) => boolean) => eventually(rules, isRight);
  const routesLoopback = async () => (await host.run(['cat', ROUTES])).out.trim();
  const agreed = async () => JSON.parse((await host.run(['cat', '/etc/sallyport/config.json'])).out).allowLoopback;
  const services = async (type: 'http' | 'tcp') => {
    const { data } = (await scene.api(`GET /api/services/${node}/${type}?page=1&limit=10`)).body;
    return data as { id: number; name: string; port: number; health: string }[];
  };
  const service = async (type: 'http' | 'tcp', name: string) => {
    const found = (await services(type)).find((each) => each.name === name);
    if (found === undefined) throw new Error(`no ${type} service ${name}`);
    return found;
  };

  it('is published by one command, which says that it forwards, and found by the gateway at once', async () => {
    keep();
    expect(await routesLoopback()).toBe('0');
    const { code, err, out } = await host.sallyport(['http', 'web', '--port', String(PORTS.http), '--path', '/web']);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/\/web\n$/) as string });
    expect(err).toContain(
      `The server on port ${PORTS.http} of this host listens on 127.0.0.1 only; this host forwards the gateway's connections to it.\n`,
    );
    expect(err).not.toContain('Nothing answers');
    // To the server a visitor is the gateway, not the machine itself, which it may trust.
    expect(await scene.visit('/web')).toBe('web http from 10.88.0.1 200');
    expect(await service('http', 'web')).toMatchObject({ health: 'up' });
    expect(await agreed()).toEqual([`tcp/${PORTS.http}`]);
  });

  it('is reached by UDP as well', async () => {
    const argv = ['tcp', 'game', '--port', String(PORTS.udp), '--proto', 'udp'];
    expect((await host.sallyport(argv)).err).toContain("this host forwards the gateway's connections to it");
    const { port } = await service('tcp', 'game');
    expect(await scene.visitTcp(port, 'hello', 'udp')).toBe('web udp hello');
  });

  it('leaves one that listens on every address, or not at all, as it is', async () => {
    const { err } = await host.sallyport(['http', 'open', '--port', String(OPEN_PORT), '--path', '/open']);
    expect(err).toContain(`listens on 0.0.0.0, where the gateway reaches it.`);
    expect(await scene.visit('/open')).toBe('open to 10.88.0.1 200');
    expect(await rules()).not.toContain(String(OPEN_PORT));
    const later = await host.sallyport(['http', 'later', '--port', '8070', '--path', '/later']);
    expect(later.err).toContain('Nothing listens on port 8070 of this host yet. ');
    await serveWeb('127.0.0.1', 8070, 'later');
    await scene.served('/later', /^later to 10\.88\.0\.1 200$/);
  });

  it('says of IPv6 alone that it is not forwarded', async () => {
    await serveWeb('::1', 8071, 'six');
    const { err } = await host.sallyport(['http', 'six', '--port', '8071', '--path', '/six']);
    expect(err).toContain('listens on ::1 only, where the gateway does not reach it.');
    await host.sallyport(['disable', 'http', 'six']);
  });

  it('is not reached where no command on this host has exposed it, whatever the gateway says', async () => {
    const keeper = keep();
    const body = { name: 'Secret', pathLocation: '/secret', backendPort: SECRET_PORT };
    expect((await scene.api(`POST /api/services/${node}/http`, body)).status).toBeLessThan(300);
    await keeper.until(
      new RegExp(`Not forwarded: tcp/${SECRET_PORT} .*sudo sallyport http Secret --port ${SECRET_PORT}`),
    );
    expect(await scene.visit('/secret')).toMatch(/ 502$/);
    // Nor by a command that leaves the port to the gateway.
    const named = await host.sallyport(['http', 'Secret']);
    expect(named.err).toContain(`not forwarded: no command on this host has named it; \`--port ${SECRET_PORT}\` does.`);
    expect(await rules()).not.toContain(String(SECRET_PORT));
    expect(await agreed()).not.toContain(`tcp/${SECRET_PORT}`);
    const { out } = await host.sallyport(['status']);
    expect(out).toContain(`Refused:   tcp/${SECRET_PORT} (Secret) listens on 127.0.0.1 alone; `);
    expect(out).toMatch(new RegExp(`Forwarded: .*tcp/${PORTS.http} \\(web\\).*udp/${PORTS.udp} \\(game\\).* to 127`));
  });

  it('is reached from the address of the gateway in the tunnel alone', async () => {
    await scene.home.exec('ip', 'address', 'add', '10.88.77.7/32', 'dev', scene.tunnel);
    await scene.outside.exec('ip', 'address', 'add', '10.88.0.1/32', 'dev', 'eth0');
    await scene.outside.exec('ip', 'route', 'add', `${own}/32`, 'via', ADDRESS);
    const from = (where: Namespace, address: string) =>
      where
        .exec('curl', '--silent', '--max-time', '2', '--interface', address, `http://${own}:${PORTS.http}/`)
        .catch(() => 'nothing');
    expect(await from(scene.home, '10.88.0.1')).toBe('web http from 10.88.0.1');
    expect(await from(scene.home, '10.88.77.7')).toBe('nothing');
    expect(await from(scene.outside, '10.88.0.1')).toBe('nothing');
    await scene.outside.exec('ip', 'address', 'delete', '10.88.0.1/32', 'dev', 'eth0');
    await scene.home.exec('ip', 'address', 'delete', '10.88.77.7/32', 'dev', scene.tunnel);
  });

  it('is all of loopback that a hostile gateway reaches, also when other rules of the host are loaded again', async () => {
    // It writes 127.0.0.1 into its packets, and out of the answers.
    const keeper = keep();
    const key = (await host.run(['wg', 'show', 'sallyport', 'public-key'])).out.trim();
    await scene.home.exec('wg', 'set', scene.tunnel, 'peer', key, 'allowed-ips', `${own}/32,127.0.0.1/32`);
    const write = `oifname "${scene.tunnel}" tcp dport ${SECRET_PORT} ip daddr set 127.0.0.1`;
    const read = `iifname "${scene.tunnel}" ip saddr 127.0.0.1 ip saddr set ${own}`;
    await scene.home.exec(
      'nft',
      `table ip hostile { chain out { type filter hook postrouting priority 300; ${write}; }; chain in { type filter hook prerouting priority -400; ${read}; }; }`,
    );
    const secret = (seconds?: number) => pageFrom(scene.home, `${own}:${SECRET_PORT}`, seconds);
    expect(await secret(SILENCE_SECONDS)).toBe('nothing');
    const guarded = await rules();
    // The packets do get there: it is the rules that keep them out. Unstopped, the keeper could write them before the page is asked for.
    keeper.child.kill('SIGSTOP');
    await network.exec('nft', 'flush', 'ruleset');
    expect(await secret()).toBe('secret to 10.88.0.1');
    keeper.child.kill('SIGCONT');
    await untilRules((text) => text === guarded);
    expect(await secret(SILENCE_SECONDS)).toBe('nothing');
    await scene.home.exec('nft', 'delete', 'table', 'ip', 'hostile');
    expect(await scene.visit('/web')).toMatch(/ 200$/);
  });

  it('is not forwarded while its service is closed, and never again once that is deleted', async () => {
    const keeper = keep();
    const { id } = await service('http', 'web');
    const port = String(PORTS.http);
    await scene.api(`PATCH /api/services/${node}/http/${id}/disable`);
    await untilRules((text) => !text.includes(port));
    expect(await pageFrom(scene.home, `${own}:${port}`, SILENCE_SECONDS)).toBe('nothing');
    await scene.api(`PATCH /api/services/${node}/http/${id}/enable`);
    await untilRules((text) => text.includes(port));
    await scene.served('/web');
    await scene.api(`DELETE /api/services/${node}/http/${id}`);
    await untilRules((text) => !text.includes(port));
    await eventually(agreed, (ports: string[]) => !ports.includes(`tcp/${port}`));
    const body = { name: 'again', pathLocation: '/again', backendPort: PORTS.http };
    expect((await scene.api(`POST /api/services/${node}/http`, body)).status).toBeLessThan(300);
    await keeper.until(new RegExp(`Not forwarded: tcp/${port} `));
    expect(await scene.visit('/again')).toMatch(/ 502$/);
  });

  it('is forwarded again after a reconnection, and leaves nothing behind once the host is disconnected', async () => {
    const keeper = keep();
    expect((await host.sallyport(['disconnect'])).code).toBe(0);
    expect(await rules()).toBe('');
    expect((await host.run(['ip', 'link', 'show', 'sallyport'])).code).not.toBe(0);
    expect((await host.sallyport(['connect'])).code).toBe(0);
    await scene.served('/later', / 200$/);
    for (const type of ['http', 'tcp'] as const) {
      for (const { id } of await services(type)) await scene.api(`DELETE /api/services/${node}/${type}/${id}`);
    }
    await eventually(routesLoopback, (value) => value === '0');
    await untilRules((text) => text === '');
    expect(await agreed()).toEqual([]);
    // The same at the end of the service, with something forwarded.
    await host.sallyport(['http', 'last', '--port', '8070', '--path', '/last']);
    expect(await rules()).toContain('8070');
    keeper.child.kill('SIGTERM');
    expect((await keeper.ended).code).toBe(0);
    expect(await rules()).toBe('');
  });
});
