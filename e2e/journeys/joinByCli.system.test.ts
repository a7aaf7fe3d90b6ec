import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SERVICES_CERTIFICATE_NAME } from '../../packages/gateway/src/ingress/preparation.ts';
import { namespacesProblem } from '../support/namespaces.ts';
import { openPackagedScene, type PackagedHost, type PackagedScene } from '../support/packagedHosts.ts';
import { eventually, GATEWAY, PORTS } from '../support/tunnelScene.ts';

const problem = await namespacesProblem();
if (problem !== null) process.stderr.write(`skipped: hosts join by the packaged command, because ${problem}\n`);

const DOMAIN = 'app.example.test';

describe.skipIf(problem !== null)('hosts that have nothing but the package', () => {
  let scene: PackagedScene;
  let web: PackagedHost;
  let shop: PackagedHost;
  let url = '';
  let fingerprint = '';

  beforeAll(async () => {
    scene = await openPackagedScene();
    ({ url, fingerprint } = scene);
    const host = async (label: string, address: string): Promise<PackagedHost> => {
      const network = await scene.host(label, address);
      await scene.serve(network, '0.0.0.0', label);
      return scene.packagedHost(network);
    };
    web = await host('web', '198.18.0.21');
    shop = await host('shop', '198.18.0.22');
  }, 300_000);
  afterAll(() => scene?.close(), 60_000);

  /** What someone outside gets who trusts the certificate of services without a domain and no other. */
  const visit = (service: string) =>
    scene.outside.exec(
      'curl',
      // As in the scene: a reload may be under way.
      '--http1.1',
      '--silent',
      '--max-time',
      '15',
      '--cacert',
      path.join(scene.gateway.data, 'secrets/certificates', SERVICES_CERTIFICATE_NAME, 'pair.pem'),
      '--write-out',
      ' %{http_code}',
      `https://${GATEWAY}:${scene.gateway.ports.https}${service}`,
    );
  const served = (service: string, page: RegExp) =>
    eventually(
      () => visit(service),
      (text) => page.test(text),
    );
  const nodeCalled = async (name: string): Promise<Record<string, unknown>> => {
    const { data } = (await scene.api('GET /api/nodes?page=1&limit=10')).body as { data: Record<string, unknown>[] };
    return data.find((node) => node['name'] === name) ?? {};
  };

  it('join with one command and serve the world with a second, at a terminal', async () => {
    const { username, password } = scene.gateway;
    const login = web.atTerminal(['login', '--url', url]);
    for (const [question, typed] of [
      [/Trust this certificate from now on\? \[y\/N\]: /, 'y'],
      [/User name: /, username],
      [/Password: /, password],
      [/Name of the node \[.+\]: /, 'web'],
      [/network that it is in \[y\/N\]: /, ''],
      [/through the gateway \[y\/N\]: /, ''],
    ] as const) {
      await login.until(question);
      login.child.stdin.write(`${typed}\r`);
    }
    expect(fingerprint).not.toBe('none');
    expect(login.out()).toContain(fingerprint);
    const joined = await login.ended;
    expect(joined).toMatchObject({ code: 0, out: expect.stringContaining(`Connected to ${url}.`) as string });
    expect(joined.out).not.toContain(password);

    const exposed = await web.atTerminal(['http', 'web', '--port', String(PORTS.http)]).ended;
    expect(exposed).toMatchObject({ code: 0, out: expect.stringContaining(`https://${GATEWAY}`) as string });
    expect(await visit('/')).toBe('web http from 10.88.0.1 200');
    const status = await web.atTerminal(['status']).ended;
    expect(status).toMatchObject({ code: 0, out: expect.stringMatching(/Status: +.*connected/) as string });
    expect((await web.run(['stat', '--format', '%a', '/etc/sallyport/config.json'])).out).toBe('600\n');
  });

  it('do the same piped', async () => {
    const argv = ['login', '--url', url, '--pin', fingerprint, '--username', scene.gateway.username];
    const joined = await shop.sallyport([...argv, '--password-stdin', '--name', 'shop'], scene.gateway.password);
    expect(joined).toMatchObject({ code: 0, out: '' });
    const command = ['http', 'shop', '--port', String(PORTS.http), '--path', '/shop'];
    // The other host has the root of the gateway's own name, and what is below it.
    expect(await shop.sallyport(command)).toMatchObject({
      code: 2,
      err: expect.stringContaining('This path is not free for this node.') as string,
    });
    const { id } = await nodeCalled('shop');
    expect((await scene.api(`PATCH /api/nodes/${String(id)}`, { allowAnyDomain: true })).status).toBe(200);
    const exposed = await shop.sallyport(command);
    expect(exposed).toMatchObject({ code: 0, out: `https://${GATEWAY}:${scene.gateway.ports.https}/shop\n` });
    expect(await visit('/shop')).toBe('shop http from 10.88.0.1 200');
    const status = await shop.sallyport(['status', '--json']);
    expect(status.code).toBe(0);
    expect(JSON.parse(status.out)).toMatchObject({ link: 'up', isConnected: true, node: { name: 'shop' } });
    expect(await shop.sallyport(['status', '--health'])).toMatchObject({ code: 0, out: 'up\n' });
  });

  it('serve the world under a domain that they name, until they close it, piped', async () => {
    const { https } = scene.gateway.ports;
    const address = `https://${DOMAIN}:${https}/`;
    const found = ['--connect-to', `::${GATEWAY}:${https}`, address];
    const byName = () =>
      scene.outside.exec('curl', ...'--http1.1 -sk --max-time 15 --write-out'.split(' '), ' %{http_code}', ...found);
    const argv = ['http', 'named', '--port', String(PORTS.http), '--domain', DOMAIN];
    expect(await shop.sallyport(argv)).toMatchObject({ code: 0, out: `${address}\n` });
    expect(await byName()).toBe('shop http from 10.88.0.1 200');
    expect((await shop.sallyport(['disable', 'http', 'named'])).err).toMatch(/Closed "named"\.\n$/);
    expect(await byName()).toMatch(/ 404$/);
  });

  it('open a port by name, the same again with the same command, close it and open it, piped', async () => {
    const argv = ['tcp', 'echo', '--port', String(PORTS.tcp), '--json'];
    const opened = await shop.sallyport(argv);
    expect(opened.code).toBe(0);
    const { change, service } = JSON.parse(opened.out) as { change: string; service: { id: number; port: number } };
    expect(change).toBe('created');
    expect(await scene.visitTcp(service.port, 'hello')).toBe('shop tcp hello');
    const again = await shop.sallyport(argv);
    expect(JSON.parse(again.out)).toMatchObject({ change: 'unchanged', service: { id: service.id } });
    expect((await shop.sallyport(['disable', 'tcp', 'echo'])).err).toMatch(/Closed "echo"\.\n$/);
    expect(await scene.visitTcp(service.port, 'hello')).toMatch(/^failed/);
    expect((await shop.sallyport(['enable', 'tcp', 'echo'])).code).toBe(0);
    expect(await scene.visitTcp(service.port, 'hello')).toBe('shop tcp hello');
  });

  it('show requests as they come, and close the service on Ctrl+C, at a terminal', async () => {
    const place = ['--port', String(PORTS.http), '--path', '/demo'];
    const shown = web.atTerminal(['http', 'demo', ...place, '--foreground']);
    await shown.until(/Ctrl\+C closes the service\./);
    // A stream may still be on its way to the gateway, and shows what comes once it is there.
    const watched = shown.until(/"GET \/demo\/\d+ HTTP\/1\.1" 200/);
    let visits = 0;
    await Promise.all([
      watched,
      eventually(
        () => visit(`/demo/${(visits += 1)}`),
        () => /"GET \/demo\/\d+ /.test(shown.out()),
        20_000,
      ),
    ]);
    shown.child.stdin.write('\x03');
    expect(await shown.ended).toMatchObject({ code: 130, out: expect.stringContaining('Closed "demo".') as string });
    expect(await visit('/demo')).toMatch(/ 404$/);
    expect((await web.sallyport(['status'])).out).toMatch(/demo/);
  });

  it('say so when the administrator disables and enables their node', async () => {
    const { id } = await nodeCalled('web');
    await scene.api(`PATCH /api/nodes/${String(id)}/disable`);
    expect(await visit('/')).toMatch(/ 503$/);
    const status = await web.sallyport(['status']);
    expect(status).toMatchObject({
      code: 3,
      out: expect.stringContaining('the administrator has disabled this node') as string,
      err: expect.stringContaining('the administrator has disabled its node') as string,
    });
    const document = await web.sallyport(['status', '--json']);
    expect(document.code).toBe(3);
    expect(JSON.parse(document.out)).toMatchObject({ link: 'waiting', isConnected: false, node: { enabled: false } });
    expect((await web.sallyport(['connect'])).code).toBe(3);
    expect(await visit('/shop')).toMatch(/ 200$/);
    await scene.api(`PATCH /api/nodes/${String(id)}/enable`);
    await served('/', /^web http from .* 200$/);
    expect((await web.sallyport(['connect', '--wait'])).code).toBe(0);
    expect((await web.sallyport(['status'])).code).toBe(0);
  });

  it('renew their keys and their token, and go on', async () => {
    const token = async () => (await web.run(['cat', '/etc/sallyport/config.json'])).out;
    const before = { token: await token(), key: (await nodeCalled('web'))['publicKey'] };
    expect(await web.sallyport(['regenerate', '--force'])).toMatchObject({
      code: 0,
      err: expect.stringContaining('Connected with the new keys.') as string,
    });
    expect(await token()).not.toBe(before.token);
    await served('/', /^web http from .* 200$/);
    expect((await web.sallyport(['status'])).code).toBe(0);
    await web.run(['cp', '/etc/sallyport/config.json', '/etc/sallyport/new.json']);
    await web.run(['tee', '/etc/sallyport/config.json'], before.token);
    expect((await web.sallyport(['http', 'web', '--port', '1'])).code).toBe(4);
    await web.run(['mv', '/etc/sallyport/new.json', '/etc/sallyport/config.json']);
  });

  it('disconnect, and leave nothing of the tunnel', async () => {
    expect(await web.sallyport(['disconnect'])).toMatchObject({ code: 0, err: 'Disconnected.\n' });
    expect(await web.sallyport(['status', '--health'])).toMatchObject({ code: 3, out: 'down\n' });
    expect((await web.sallyport(['status'])).code).toBe(3);
    expect((await web.run(['ip', 'link', 'show', 'sallyport'])).code).not.toBe(0);
    expect((await web.run(['ls', '/etc/sallyport'])).out).toBe('config.json\n');
    expect(await visit('/shop')).toMatch(/ 200$/);
    expect((await web.sallyport(['connect', '--wait'])).code).toBe(0);
    await served('/', /^web http from .* 200$/);
  });
});
