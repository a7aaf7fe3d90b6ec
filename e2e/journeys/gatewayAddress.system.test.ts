import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Namespace, namespacesProblem } from '../support/namespaces.ts';
import { openPackagedScene, type PackagedHost, type PackagedScene } from '../support/packagedHosts.ts';
import { eventually, GATEWAY, PORTS } from '../support/tunnelScene.ts';

const problem = await namespacesProblem();
if (problem !== null) process.stderr.write(`skipped: a gateway that gets another address, because ${problem}\n`);

/** The former address is waited for, and the new one asked; then the tunnel shakes hands. */
const CONNECTED_MAX_MS = 60_000;
/** The gateway's later address. */
const LATER = '198.18.0.2';

describe.skipIf(problem !== null)('a host whose gateway gets another public address', () => {
  let scene: PackagedScene;
  let network: Namespace;
  let host: PackagedHost;

  beforeAll(async () => {
    scene = await openPackagedScene({ env: { SALLYPORT_VPN_HOST: '' } });
    network = await scene.host('web', '198.18.0.21');
    host = await scene.packagedHost(network);
    const id = await scene.joinByCommand(host, 'web');
    const { body } = await scene.api(`GET /api/nodes/${id}`);
    await scene.serve(network, String(body['address']), 'web');
  }, 300_000);
  afterAll(() => scene?.close(), 60_000);

  /** What keeps the host connected, as its service does, until the test is over or `end`. */
  function keep() {
    const keeper = host.start(['sallyport', 'service', 'run', '--every', '1']);
    const end = async () => {
      keeper.child.kill('SIGKILL');
      await keeper.ended;
    };
    onTestFinished(end);
    return { ...keeper, end };
  }
  const known = async () => JSON.parse((await host.run(['cat', '/etc/sallyport/config.json'])).out) as object;
  const urlOf = (address: string) => `https://${address}:${scene.gateway.ports.console}`;

  it('learns it by the former one, and goes on with it once that is gone, also after a restart', async () => {
    const keeper = keep();
    expect((await host.sallyport(['http', 'web', '--port', String(PORTS.http), '--path', '/web'])).code).toBe(0);
    await scene.served('/web', / 200$/);
    await scene.home.exec('sysctl', '-qw', 'net.ipv4.conf.eth0.promote_secondaries=1');
    await scene.home.exec('ip', 'address', 'add', `${LATER}/24`, 'dev', 'eth0');
    expect(await scene.api('PATCH /api/public-address', { host: LATER })).toMatchObject({ status: 200 });
    await scene.gateway.end('SIGTERM');
    await scene.gateway.start();
    await eventually(known, (config) => JSON.stringify(config).includes(urlOf(LATER)));
    expect(await known()).toMatchObject({ url: urlOf(GATEWAY), otherUrl: urlOf(LATER) });

    await keeper.end();
    await scene.home.exec('ip', 'address', 'delete', `${GATEWAY}/24`, 'dev', 'eth0');
    await host.run(['ip', 'link', 'delete', 'sallyport']);
    keep();
    const page = ['--silent', '--insecure', '--http1.1', `https://${LATER}:${scene.gateway.ports.https}/web`];
    await eventually(
      () => scene.outside.exec('curl', ...page).catch(() => 'nothing'),
      (text) => text === 'web http from 10.88.0.1',
      CONNECTED_MAX_MS,
    );
    expect(await known()).toMatchObject({ url: urlOf(LATER), otherUrl: urlOf(GATEWAY) });
  });
});
