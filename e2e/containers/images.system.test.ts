import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { composeFlags, type Ended, openPodman, type Podman } from '../support/podman.ts';
import { eventually } from '../support/tunnelScene.ts';

const opened = await openPodman();
if (typeof opened === 'string') process.stderr.write(`skipped: the images are built and run, because ${opened}\n`);

const GATEWAY = 'localhost/sallyport-gateway';
const NODE = 'localhost/sallyport-node';
const PASSWORD = 'correct horse battery';
/** A minute on a machine that does nothing else. */
const BUILD_MAX_MS = 900_000;
const RUN_MAX_MS = 300_000;
const SERVED_MAX_MS = 120_000;
const OUTSIDE = '172.30.78.0/24';
const GATEWAY_ADDRESS = '172.30.78.2';
const PUBLISHED = '172.30.77.0/24';
const HOST = 'gateway.example.test';

const words = (text: string): string[] => text.split(' ');

describe.skipIf(typeof opened === 'string')('an image', { timeout: RUN_MAX_MS }, () => {
  const podman = opened as Podman;
  let secrets: string;

  beforeAll(async () => {
    secrets = path.join(podman.folder, 'secrets');
    mkdirSync(secrets);
    writeFileSync(path.join(secrets, 'admin-password'), `${PASSWORD}\n`);
    await podman.build('gateway');
    await podman.build('node');
    // Only the second one knows names, as that of the node's neighbours.
    await podman.must('network', 'create', '--disable-dns', '--subnet', OUTSIDE, 'outside');
    await podman.must('network', 'create', '--subnet', PUBLISHED, 'published');
  }, BUILD_MAX_MS);
  afterAll(async () => {
    await podman?.close();
  }, 120_000);
  afterEach(async () => {
    await podman.must('rm', '--all', '--force', '--time', '0', '--volumes');
  });

  const secret = (name: string): string[] => words(`--volume ${path.join(secrets, name)}:/run/secrets/${name}:ro`);
  const gatewayFlags = (without?: string): string[] => [
    ...composeFlags('gateway', without),
    ...words(`--log-driver k8s-file --network outside:ip=${GATEWAY_ADDRESS} --env SALLYPORT_VPN_HOST=${HOST}`),
  ];
  const withPassword = () => [
    ...secret('admin-password'),
    ...words('--env SALLYPORT_ADMIN_PASSWORD_FILE=/run/secrets/admin-password'),
  ];
  const volume = (name: string): string[] => ['--volume', `${name}:/var/lib/sallyport`];
  const startGateway = (name: string, ...flags: string[]) =>
    podman.must('run', '--detach', '--name', name, ...withPassword(), ...flags, GATEWAY);
  const isHealthy = (name: string) =>
    eventually(
      () => podman('healthcheck', 'run', name),
      ({ code }) => code === 0,
      SERVED_MAX_MS,
    );
  const inGateway = (name: string, ...command: string[]) => podman('exec', name, ...command);
  /** What is served under a name, as seen from outside; with a body, it is posted. */
  const ask = async (name: string, port: number, target: string, token = '', ...how: string[]) => {
    const header = token === '' ? [] : ['--header', `authorization: Bearer ${token}`];
    const to = ['--resolve', `${name}:${port}:${GATEWAY_ADDRESS}`, `https://${name}:${port}${target}`];
    return podman.home.exec(
      'curl',
      '--silent',
      '--insecure',
      '--http1.1',
      '--max-time',
      '15',
      ...header,
      ...how,
      ...to,
    );
  };
  const api = async (target: string, token: string, body: object, method = 'POST') =>
    JSON.parse(
      await ask(HOST, 9443, `/api${target}`, token, '--request', method, '--json', JSON.stringify(body)),
    ) as Record<string, unknown>;
  const fingerprintOf = async (name: string) => /SHA-256 ([0-9A-F:]{95})/.exec(await podman.said(name))?.[1] ?? 'none';

  it.each([
    [GATEWAY, 340],
    [NODE, 280],
  ])('%s takes at most %i MB', async (image, megabytes) => {
    const bytes = Number(await podman.must('image', 'inspect', '--format', '{{.Size}}', image));
    process.stderr.write(`${image}: ${Math.round(bytes / 1e6)} MB\n`);
    expect(bytes / 1e6).toBeLessThan(megabytes);
  });

  describe('of the gateway', () => {
    it('serves from a root that is read-only, ends at once, and has what it had in the next container', async () => {
      await startGateway('first', ...gatewayFlags(), ...volume('kept'));
      await isHealthy('first');
      const health = await inGateway('first', 'sallyport-gateway', 'health');
      expect(JSON.parse(health.out)).toMatchObject({ status: 'ok', tunnel: 'up', database: 'up' });
      expect(await podman.must('inspect', 'first')).not.toContain(PASSWORD);
      const fingerprint = await fingerprintOf('first');
      expect(fingerprint).not.toBe('none');
      expect(await podman.said('first')).not.toContain(PASSWORD);

      await podman.must('stop', '--time', '60', 'first');
      expect(await podman.must('inspect', '--format', '{{.State.ExitCode}}', 'first')).toBe('0\n');
      await podman.must('rm', 'first');
      await startGateway('second', ...gatewayFlags(), ...volume('kept'));
      await isHealthy('second');
      expect(await fingerprintOf('second')).toBe(fingerprint);
    });

    it('serves without NET_ADMIN, and says what its nodes need', async () => {
      await startGateway('bare', ...gatewayFlags('NET_ADMIN'), ...volume('bare'));
      await isHealthy('bare');
      expect(await podman.said('bare')).toContain(
        'This container may not set up network interfaces. Start it with --cap-add=NET_ADMIN --device=/dev/net/tun.',
      );
    });

    it('refuses a secret that is not there', async () => {
      const env = ['--env', 'SALLYPORT_ADMIN_PASSWORD_FILE=/run/secrets/none'];
      const ended = await podman('run', ...gatewayFlags(), ...volume('secretless'), ...env, GATEWAY);
      expect(ended).toMatchObject({
        code: 1,
        err: expect.stringContaining('SALLYPORT_ADMIN_PASSWORD_FILE: /run/secrets/none cannot be read (ENOENT).'),
      });
    });
  });

  describe.each([
    { name: 'gateway', image: GATEWAY },
    { name: 'node', image: NODE },
  ] as const)('of the $name', ({ name, image }) => {
    const at = '/var/lib/sallyport';
    const start = (...flags: string[]): Promise<Ended> =>
      podman('run', ...composeFlags(name), '--network', 'none', ...flags, image);
    const refused = (text: string) => ({ code: 1, err: expect.stringMatching(new RegExp(`^${text}`, 'm')) });

    it('says in a sentence that its volume is missing, read-only or of another account', async () => {
      expect(await start()).toMatchObject(refused(`There is no volume at ${at}, so what is kept there would be lost`));
      const foreign = path.join(podman.folder, `foreign-${name}`);
      mkdirSync(foreign);
      expect(await start('--volume', `${foreign}:${at}:ro`)).toMatchObject(
        refused(`The volume at ${at} cannot be written. Mount it without read-only`),
      );
      chownSync(foreign, 1000, 1000);
      expect(await start('--volume', `${foreign}:${at}`)).toMatchObject(
        refused(`The volume at ${at} belongs to the account 1000, and this container runs as 0. On its host: chown 0`),
      );
    });
  });

  describe('of a node', () => {
    const start = (...flags: string[]): Promise<Ended> =>
      podman('run', '--network', 'none', '--volume', 'node:/var/lib/sallyport', ...flags, NODE);
    const told = ['--env', 'SALLYPORT_URL=https://gateway.example.test:9443'];
    const tokenFile = ['--env', 'SALLYPORT_TOKEN_FILE=/run/secrets/none'];

    it('says in a sentence what it was not given', async () => {
      const given = composeFlags('node');
      expect(await start(...composeFlags('node', 'NET_ADMIN'), ...told, ...tokenFile)).toMatchObject({
        code: 1,
        err: expect.stringContaining('Start it with --cap-add NET_ADMIN --device /dev/net/tun.'),
      });
      const nowhere = { code: 1, err: expect.stringContaining('Set SALLYPORT_URL to the address of the console') };
      expect(await start(...given, ...told)).toMatchObject(nowhere);
      expect(await start(...given, ...tokenFile)).toMatchObject(nowhere);
      expect(await start(...given, ...told, ...tokenFile, '--env', 'SALLYPORT_TOKEN=not-a-real-token')).toMatchObject({
        code: 1,
        err: expect.stringContaining('Leave one of the two out.'),
      });
      expect(await start(...given, ...told, ...tokenFile)).toMatchObject({
        code: 2,
        err: expect.stringContaining('The token could not be read from /run/secrets/none (ENOENT).'),
      });
    });

    it('joins by its token, and publishes its neighbour by name', async () => {
      await startGateway('gateway', ...gatewayFlags(), ...volume('joined'));
      await isHealthy('gateway');
      const { token } = await api('/auth/login', '', { username: 'admin', password: PASSWORD });
      const behind = { isGateway: true, gatewayNetworks: [{ interface: 'eth1', subnet: PUBLISHED }] };
      const node = await api('/nodes', String(token), { name: 'docker', ...behind });
      writeFileSync(path.join(secrets, 'node-token'), `${String(node['token'])}\n`);
      const script = 'require("http").createServer((_, answer) => answer.end("hello")).listen(8080)';
      const server = ['--entrypoint', '/usr/lib/sallyport/node', NODE, '-e', script];
      await podman.must('run', '--detach', '--name', 'web', '--network', 'published', ...server);
      const joining = [
        ...words('--network outside:interface_name=eth0 --network published:interface_name=eth1 --log-driver k8s-file'),
        ...words(`--add-host ${HOST}:${GATEWAY_ADDRESS} --volume node:/var/lib/sallyport`),
        ...words(`--env SALLYPORT_URL=https://${HOST}:9443 --env SALLYPORT_PIN=${await fingerprintOf('gateway')}`),
        ...words('--env SALLYPORT_TOKEN_FILE=/run/secrets/node-token'),
        ...secret('node-token'),
      ];
      await podman.must('run', '--detach', '--name', 'node', ...composeFlags('node'), ...joining, NODE);
      await isHealthy('node');
      const service = { name: 'Web', domain: 'web.example.test', backendHost: 'web', backendPort: 8080 };
      const made = await api(`/services/${String(node['id'])}/http`, String(token), service);
      await eventually(
        () => ask('web.example.test', 443, '/').catch(String),
        (page) => page === 'hello',
        SERVED_MAX_MS,
      );
      const other = await api(
        `/services/${String(node['id'])}/http/${String(made['id'])}`,
        String(token),
        { backendHost: 'nowhere' },
        'PATCH',
      );
      expect(other['problem']).toContain(
        `The name nowhere has no address behind its node docker: the resolver at ${String(node['address'])} does not know it.`,
      );
    });

    it('is the base of the app for Home Assistant, which gives it its options', async () => {
      await podman.build('home-assistant/sallyport', '--build-arg', `NODE_IMAGE=${NODE}`);
      const data = path.join(podman.folder, 'data');
      mkdirSync(data);
      const options = { url: 'https://127.0.0.1:9', token: 'not-a-real-token' };
      writeFileSync(path.join(data, 'options.json'), JSON.stringify(options), { mode: 0o600 });
      const given = [
        '--cap-add',
        'NET_ADMIN',
        '--device',
        '/dev/net/tun',
        '--network',
        'none',
        '--volume',
        `${data}:/data`,
      ];
      const ended = await podman('run', ...given, 'localhost/sallyport-home-assistant');
      expect(ended).toMatchObject({ code: 6, err: expect.stringContaining('https://127.0.0.1:9') });
      expect(ended.err).not.toContain('not-a-real-token');
    });
  });
});
