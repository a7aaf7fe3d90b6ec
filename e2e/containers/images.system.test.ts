import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Composed, composeFlags, type Ended, openPodman, type Podman } from '../support/podman.ts';
import { eventually } from '../support/tunnelScene.ts';

const opened = await openPodman();
if (typeof opened === 'string') process.stderr.write(`skipped: the images are built and run, because ${opened}\n`);

const GATEWAY = 'localhost/sallyport-gateway';
const NODE = 'localhost/sallyport-node';
const PAGE = 'hello';
const PASSWORD = 'correct horse battery';
/** A minute on a machine that does nothing else. */
const BUILD_MAX_MS = 900_000;
const RUN_MAX_MS = 300_000;
const SERVED_MAX_MS = 120_000;
/** Where the machine of the gateway is reached; one for documentation. */
const HOST = '192.0.2.7';
const CONSOLE = `https://${HOST}:9443`;
/** As the node's `compose.yaml` says. */
const PUBLISHED = '172.30.77.0/24';

describe.skipIf(typeof opened === 'string')('an image', { timeout: RUN_MAX_MS }, () => {
  const podman = opened as Podman;

  /** Writes what the guide has users write next to it. */
  const write = (name: Composed, settings: Record<string, string>, secret: string, value: string) => {
    const lines = Object.entries(settings).map(([key, setting]) => `${key}=${setting}\n`);
    writeFileSync(path.join(podman.containers, name, '.env'), lines.join(''));
    writeFileSync(path.join(podman.containers, name, secret), `${value}\n`);
  };

  beforeAll(async () => {
    write('gateway', { SALLYPORT_VPN_HOST: HOST }, 'admin-password', PASSWORD);
    write('node', { SALLYPORT_URL: CONSOLE, SALLYPORT_PIN: '' }, 'node-token', 'of no node yet');
    await podman.build('gateway');
    await podman.build('node');
    await podman.home.exec('ip', 'address', 'add', `${HOST}/32`, 'dev', 'lo');
  }, BUILD_MAX_MS);
  afterAll(async () => {
    await podman?.close();
  }, 120_000);
  afterEach(async () => {
    await podman.must('rm', '--all', '--force', '--time', '0', '--volumes');
    await podman.must('volume', 'prune', '--force');
  });

  const isHealthy = (name: string) =>
    eventually(
      () => podman('healthcheck', 'run', name),
      ({ code }) => code === 0,
      SERVED_MAX_MS,
    ).catch(async (error: unknown) => {
      throw new Error(await podman.said(name), { cause: error });
    });

  it.each([
    [GATEWAY, 340],
    [NODE, 280],
  ])('%s takes at most %i MB', async (image, megabytes) => {
    const bytes = Number(await podman.must('image', 'inspect', '--format', '{{.Size}}', image));
    process.stderr.write(`${image}: ${Math.round(bytes / 1e6)} MB\n`);
    expect(bytes / 1e6).toBeLessThan(megabytes);
  });

  describe('by its compose.yaml', () => {
    /** What is served under a name at the published ports. */
    const ask = (name: string, port: number, target: string, ...how: string[]) => {
      const to = ['--connect-to', `::${HOST}:`, `https://${name}:${port}${target}`];
      return podman.home.exec('curl', '--silent', '--insecure', '--http1.1', '--max-time', '15', ...how, ...to);
    };
    const api = async (target: string, token: string, body?: object, method = 'POST') => {
      const sent = body === undefined ? [] : ['--request', method, '--json', JSON.stringify(body)];
      const answer = await ask(HOST, 9443, `/api${target}`, '--header', `authorization: Bearer ${token}`, ...sent);
      return JSON.parse(answer) as Record<string, unknown>;
    };
    const signIn = async () =>
      String((await api('/auth/login', 'none', { username: 'admin', password: PASSWORD }))['token']);
    const fingerprint = async () =>
      /SHA-256 ([0-9A-F:]{95})/.exec(await podman.compose('gateway', 'logs', 'gateway'))?.[1] ?? 'none';
    const startGateway = async () => {
      await podman.compose('gateway', 'up', '--detach');
      await isHealthy('sallyport_gateway_1');
    };

    it('a gateway serves, ends at once, and has what it had in the next container', async () => {
      await startGateway();
      const check = await podman.compose('gateway', 'exec', '-T', 'gateway', 'sallyport-gateway', 'check');
      expect(check).toMatch(/^ok +data /m);
      const log = await podman.compose('gateway', 'logs', 'gateway');
      expect(log).toContain(`${CONSOLE}/`);
      expect(log + (await podman.must('inspect', 'sallyport_gateway_1'))).not.toContain(PASSWORD);
      expect(JSON.parse(await ask(HOST, 9443, '/healthz'))).toMatchObject({
        status: 'ok',
        tunnel: 'up',
        database: 'up',
      });
      const before = await fingerprint();
      const kept = { domain: 'kept.example.test', skipValidation: true };
      expect(await api('/domains', await signIn(), kept)).toMatchObject(kept);

      await podman.compose('gateway', 'stop', '--timeout', '60');
      expect(await podman.must('inspect', '--format', '{{.State.ExitCode}}', 'sallyport_gateway_1')).toBe('0\n');
      await podman.compose('gateway', 'down');
      expect(await podman.must('ps', '--all', '--quiet')).toBe('');
      await startGateway();
      expect(await fingerprint()).toBe(before);
      expect(await api('/domains', await signIn())).toMatchObject([kept]);
    });

    it('a node joins by its token, and publishes its neighbour by name', async () => {
      await startGateway();
      const token = await signIn();
      const behind = { isGateway: true, gatewayNetworks: [{ interface: 'eth0', subnet: PUBLISHED }] };
      const node = await api('/nodes', token, { name: 'docker', ...behind });
      const settings = { SALLYPORT_URL: CONSOLE, SALLYPORT_PIN: await fingerprint() };
      write('node', settings, 'node-token', String(node['token']));
      await makeExample();
      // Which podman-compose does not read from the file.
      await podman.must('network', 'create', '--subnet', PUBLISHED, 'sallyport-node_published');
      await podman.compose('node', 'up', '--detach');
      await isHealthy('sallyport-node_node_1');
      expect(await podman.compose('node', 'exec', '-T', 'node', 'sallyport', 'status')).toContain(HOST);

      const service = { name: 'Web', domain: 'web.example.test', backendHost: 'web', backendPort: 80 };
      const made = await api(`/services/${String(node['id'])}/http`, token, service);
      await eventually(
        () => ask('web.example.test', 443, '/').catch(String),
        (page) => page === PAGE,
        SERVED_MAX_MS,
      );
      await podman.compose('node', 'down');
      await podman.must('volume', 'exists', 'sallyport-node_data');
      await podman.compose('node', 'up', '--detach');
      await isHealthy('sallyport-node_node_1');

      const nowhere = { backendHost: 'nowhere' };
      const other = await api(`/services/${String(node['id'])}/http/${String(made['id'])}`, token, nowhere, 'PATCH');
      expect(other['problem']).toContain(
        `The name nowhere has no address behind its node docker: the resolver at ${String(node['address'])} does not know it.`,
      );
    });

    /** The example's image, as no registry is asked. */
    async function makeExample() {
      const script = `require("http").createServer((_, answer) => answer.end("${PAGE}")).listen(80); process.on("SIGTERM", process.exit)`;
      const server = JSON.stringify(['/usr/lib/sallyport/node', '-e', script]);
      await podman.must('create', '--name', 'example', NODE);
      await podman.must('commit', '--change', `ENTRYPOINT ${server}`, 'example', 'docker.io/library/nginx');
      await podman.must('rm', 'example');
    }
  });

  describe('of the gateway', () => {
    const start = (...flags: string[]): Promise<Ended> =>
      podman('run', '--network', 'none', '--volume', 'bare:/var/lib/sallyport', ...flags, GATEWAY);

    it('serves without NET_ADMIN, and says what its nodes need', async () => {
      const { code } = await start(...composeFlags('gateway', 'NET_ADMIN'), '--detach', '--name', 'bare');
      expect(code).toBe(0);
      await isHealthy('bare');
      expect(await podman.said('bare')).toContain(
        'This container may not set up network interfaces. Start it with --cap-add=NET_ADMIN --device=/dev/net/tun.',
      );
    });

    it('refuses a secret that is not there', async () => {
      const env = ['--env', 'SALLYPORT_ADMIN_PASSWORD_FILE=/run/secrets/none'];
      expect(await start(...composeFlags('gateway'), ...env)).toMatchObject({
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
    const told = ['--env', `SALLYPORT_URL=${CONSOLE}`];
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

    it('is the base of the app for Home Assistant, which gives it its options', async () => {
      await podman.buildApp(NODE);
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
