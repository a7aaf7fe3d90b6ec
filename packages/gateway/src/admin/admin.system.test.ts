import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { DATABASE_FILE } from '../start/dataFiles.ts';
import { ingressPorts } from '../start/ingressPorts.ts';
import { noteBackup } from '../start/lastBackup.ts';
import { seed } from '../start/seed.ts';
import { openStore } from '../store/store.ts';
import { migrations } from '../store/migrations.ts';
import { freePorts } from '../testing/freePorts.ts';
import { aDomain } from '../testing/storedRows.ts';
import { openProgramTrial, PASSWORD, type ProgramTrial } from '../testing/programTrial.ts';
import { check } from './check.ts';
import { checkGateway } from './health.ts';

/** Two starts of the program fit into it, also on a busy machine. */
const STARTS = { timeout: 120_000 };

describe('reset-password', () => {
  let trial: ProgramTrial;
  beforeEach(async () => {
    trial = await openProgramTrial();
  });
  afterEach(() => trial.close());
  const reset = (env = {}) => trial.start(env, { args: ['reset-password'] });

  it('ends all sessions and prints a password that counts at once, while the gateway runs', STARTS, async () => {
    await trial.start();
    await trial.signIn();
    const { code, out } = await reset();
    expect(code).toBe(0);
    expect((await trial.call('GET', '/api/auth/me')).status).toBe(401);
    expect((await trial.signIn(PASSWORD)).status).toBe(401);
    expect((await trial.signIn(out.trim())).status).toBe(200);
  });

  it('says where the password is when it is set there, and when there is no gateway', STARTS, async () => {
    expect(await reset({ SALLYPORT_ADMIN_PASSWORD: undefined })).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining(`There is no gateway in ${trial.data}.`),
    });
    expect(await reset({ SALLYPORT_ADMIN_PASSWORD: 'of the settings' })).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('Change it there'),
    });
  });
});

describe('health', () => {
  it('is that of the running gateway, by its exit code as well', STARTS, async () => {
    const trial = await openProgramTrial();
    onTestFinished(() => trial.close());
    const health = () => trial.start({}, { args: ['health'] });
    const started = await trial.start();
    expect(await health()).toMatchObject({ code: 0, out: expect.stringContaining('{"status":"ok"') });
    await started.end('SIGINT');
    expect(await health()).toMatchObject({ code: 1, out: `No gateway answers at 127.0.0.1:${trial.ports.listen}.\n` });
  });
});

describe('check', () => {
  const base = mkdtempSync(join(tmpdir(), 'sallyport-check-'));
  chmodSync(base, 0o711);
  afterEach(() => rmSync(base, { recursive: true, force: true }));
  const settings = async () => {
    const [listen, console, http, https] = await freePorts(4);
    return {
      SALLYPORT_DATA: join(base, 'data'),
      SALLYPORT_LISTEN: `127.0.0.1:${listen}`,
      SALLYPORT_CONSOLE_PORT: String(console),
      SALLYPORT_HTTP_PORT: String(http),
      SALLYPORT_HTTPS_PORT: String(https),
      SALLYPORT_VPN_HOST: '203.0.113.7',
      SALLYPORT_TUNNEL: 'off',
      // Nothing answers there: no test asks a public name server.
      SALLYPORT_DNS_SERVERS: '127.0.0.1:1',
    };
  };
  const faults = async (env: NodeJS.ProcessEnv) => {
    const found = (await check(env)).filter(({ state }) => state === 'failed');
    // Each is told with something to type.
    for (const { fix, command } of found) {
      expect(command).toMatch(/^(?:sudo|sudoedit|npm|node|chmod|df|[A-Z_]+=\S+ (?:npm|[A-Z_]+=)) ?/);
      expect(fix).toMatch(/\S: \S/);
      expect(fix?.endsWith(`: ${command}`)).toBe(true);
    }
    return found;
  };

  it('finds nothing to do on a machine that has all', async () => {
    const env = await settings();
    expect(await faults(env)).toEqual([]);
    expect((await check(env)).find(({ what }) => what === 'disk')?.text).toMatch(/^(?:\d{3,4} MB|\d{2,} GB) are free$/);
  });

  it('names a port that another program has, and the setting', async () => {
    const env = await settings();
    const other = createServer().listen(Number(env.SALLYPORT_HTTP_PORT), '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    expect(await faults(env)).toEqual([
      {
        what: `port ${env.SALLYPORT_HTTP_PORT}`,
        state: 'failed',
        text: expect.stringContaining('SALLYPORT_HTTP_PORT: another program listens there'),
        fix: expect.stringContaining('or end the other one'),
        command: expect.stringContaining(`sport = :${env.SALLYPORT_HTTP_PORT}`),
      },
    ]);
  });

  it('looks at the ports that the first start chose, and says before it which ones it will', async () => {
    const { SALLYPORT_HTTP_PORT: http, SALLYPORT_HTTPS_PORT: https, ...env } = await settings();
    expect(await check(env)).toContainEqual(
      expect.objectContaining({ what: 'ports', state: 'ok', text: expect.stringMatching(/arrive on \d+ and \d+/) }),
    );
    mkdirSync(env.SALLYPORT_DATA, { recursive: true });
    const file = join(env.SALLYPORT_DATA, DATABASE_FILE);
    const store = openStore(file, () => new Date());
    await ingressPorts(store, { http: null, https: null, console: 1 }, async () => ({
      http: Number(http),
      https: Number(https),
    }));
    await store.close();
    const before = readFileSync(file);
    const other = createServer().listen(Number(https), '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const found = await check(env);
    expect(found.find(({ what }) => what === 'console')?.text).toContain(`at https://DOMAIN:${https}/`);
    expect(found.filter(({ what }) => what === 'ports')).toMatchObject([
      { state: 'failed', text: expect.stringContaining(`so visitors arrive on ${https} and ${http},`) },
    ]);
    expect(found).toContainEqual(expect.objectContaining({ what: `port ${http}`, state: 'ok' }));
    expect(found).toContainEqual(
      expect.objectContaining({
        what: `port ${https}`,
        state: 'failed',
        text: expect.stringContaining('another program'),
      }),
    );
    expect(readFileSync(file)).toEqual(before);
  });

  it('names a setting that cannot be read, and a name that other machines do not know', async () => {
    const env = await settings();
    expect(await faults({ ...env, SALLYPORT_HTTP_PORT: '80a' })).toMatchObject([
      {
        what: 'settings',
        text: expect.stringContaining('SALLYPORT_HTTP_PORT must be a port'),
        command: 'SALLYPORT_HTTP_PORT=VALUE npm start',
      },
    ]);
    expect(await faults({ ...env, SALLYPORT_VPN_HOST: 'localhost' })).toMatchObject([
      { what: 'public address', fix: expect.stringContaining('Set SALLYPORT_VPN_HOST') },
    ]);
  });

  it('says of the public address what the console says, or what the first start would do', async () => {
    const env = { ...(await settings()), SALLYPORT_VPN_HOST: undefined };
    const found = async () => (await check(env)).find(({ what }) => what === 'public address');
    expect((await found())?.text).toContain('the first start asks for it on a terminal');
    const decide = async (setting: 'httpPort' | 'publicAddress', value: string) => {
      mkdirSync(env.SALLYPORT_DATA, { recursive: true });
      const store = openStore(join(env.SALLYPORT_DATA, DATABASE_FILE), () => new Date());
      await seed(store, { listen: { host: '127.0.0.1', port: 3000 } });
      await store.write((tx) => tx.settings.set(setting, value));
      await store.close();
    };
    // Of an earlier version.
    await decide('httpPort', '80');
    expect((await found())?.text).toContain(hostname().toLowerCase());
    await decide('publicAddress', '192.168.7.7');
    expect(await found()).toMatchObject({
      state: 'warning',
      command: 'SALLYPORT_VPN_HOST=NAME npm start',
      text: expect.stringMatching(
        /^192\.168\.7\.7, chosen at the first start.*private address.*not tried from outside/,
      ),
    });
    // The name servers are at fault for what they do not say.
    await decide('publicAddress', 'gw.example.test');
    expect(await found()).toMatchObject({
      state: 'warning',
      text: expect.stringMatching(/127\.0\.0\.1.*not known whether gw\.example\.test has an address/),
    });
    expect(await faults(env)).toEqual([
      {
        what: 'name servers',
        state: 'failed',
        text: 'The name servers (127.0.0.1:1) cannot be reached. Until then, the gateway cannot tell where domains lead.',
        fix: expect.stringContaining('SALLYPORT_DNS_SERVERS'),
        command: 'SALLYPORT_DNS_SERVERS=ADDRESS npm start',
      },
    ]);
    await decide('publicAddress', '203.0.113.7');
    expect(await found()).toMatchObject({
      state: 'ok',
      text: expect.stringMatching(/To change it, Settings in the console.*: SALLYPORT_VPN_HOST=NAME npm start$/),
      fix: null,
    });
    await decide('publicAddress', 'localhost');
    expect(await found()).toMatchObject({
      state: 'failed',
      fix: expect.stringContaining('under Settings in the console'),
    });
  });

  it('says how old the last backup is', async () => {
    const env = await settings();
    mkdirSync(env.SALLYPORT_DATA, { recursive: true });
    const made = async (days: number) => {
      noteBackup(env.SALLYPORT_DATA, new Date(Date.now() - days * 86_400_000 - 1000), '/mnt/gateway.backup');
      return (await check(env)).find(({ what }) => what === 'backup');
    };
    expect(await made(3)).toMatchObject({
      state: 'ok',
      text: expect.stringMatching(/^the last one was made 3 days ago, at \d.*, \/mnt\/gateway\.backup$/),
    });
    expect(await made(8)).toMatchObject({ state: 'failed', text: expect.stringContaining('8 days ago') });
  });

  it('looks up the domains', async () => {
    const env = await settings();
    mkdirSync(env.SALLYPORT_DATA, { recursive: true });
    const store = openStore(join(env.SALLYPORT_DATA, DATABASE_FILE), () => new Date());
    await store.write((tx) => tx.domains.create({ ...aDomain, domain: 'app.example.test', allowedEmails: null }));
    await store.close();
    expect(await check(env)).toContainEqual(
      expect.objectContaining({
        what: 'domains',
        state: 'warning',
        text: expect.stringMatching(
          /^Where 1 of 1 leads is not known: The name servers \(127\.0\.0\.1:1\) cannot be reached\.$/,
        ),
      }),
    );
  });

  it('goes on with a database that the next start updates, and says so', async () => {
    const env = { ...(await settings()), SALLYPORT_VPN_HOST: undefined };
    mkdirSync(env.SALLYPORT_DATA, { recursive: true });
    const file = join(env.SALLYPORT_DATA, DATABASE_FILE);
    const store = openStore(file, () => new Date());
    await store.write((tx) => tx.settings.set('publicAddress', '192.168.7.7'));
    await store.close();
    const older = new Sqlite(file);
    older.pragma(`user_version = ${migrations.length - 1}`);
    older.close();
    const before = readFileSync(file);
    const found = await check(env);
    expect(found.filter(({ state }) => state === 'failed')).toEqual([]);
    expect(found).toContainEqual({
      what: 'database',
      state: 'ok',
      text: expect.stringMatching(/next start/),
      fix: null,
      command: null,
    });
    expect(found).toContainEqual(
      expect.objectContaining({ what: 'public address', text: expect.stringMatching(/^192\.168\.7\.7, chosen at/) }),
    );
    expect(readFileSync(file)).toEqual(before);
  });

  it('says whose word on the visitor counts, and where the console is', async () => {
    const env = { ...(await settings()), SALLYPORT_CONSOLE_PORT: '9443', SALLYPORT_PUBLIC_HTTPS_PORT: '443' };
    const said = async (more: NodeJS.ProcessEnv) =>
      (await check({ ...env, ...more })).flatMap(({ what, text }) => (/proxies|console/.test(what) ? [text] : []));
    const console = 'https://203.0.113.7:9443/, where hosts join; with a domain of its own also at https://DOMAIN/';
    expect(await said({})).toEqual([console]);
    expect(await said({ SALLYPORT_TRUSTED_PROXIES: '192.0.2.10' })).toEqual([
      '192.0.2.10/32: they say who the visitor is',
      console,
    ]);
    expect(await faults({ ...env, SALLYPORT_TRUSTED_PROXIES: '0.0.0.0/0' })).toMatchObject([
      { what: 'settings', text: expect.stringMatching(/SALLYPORT_TRUSTED_PROXIES must not have 0\.0\.0\.0\/0/) },
    ]);
  });

  it(
    'leaves the ports of a gateway that runs alone, and says which settings it does not have yet',
    STARTS,
    async () => {
      const trial = await openProgramTrial(join(base, 'data'));
      onTestFinished(() => trial.close());
      const env = { SALLYPORT_VPN_HOST: '192.168.7.7', SALLYPORT_ADMIN_PASSWORD: PASSWORD };
      const { pid } = await trial.start(env);
      const { code, out } = await trial.start(env, { args: ['check', '--json'] });
      expect(JSON.parse(out)).toContainEqual(expect.objectContaining({ what: 'ports', state: 'ok' }));
      // A warning is no failure.
      expect(JSON.parse(out)).toContainEqual(expect.objectContaining({ what: 'public address', state: 'warning' }));
      expect(code).toBe(0);
      const changed = await trial.start({ ...env, SALLYPORT_VPN_HOST: '192.168.7.8' }, { args: ['check'] });
      expect(changed.out).toMatch(/^WARN public address +192\.168\.7\.8, by SALLYPORT_VPN_HOST\. /m);
      expect(changed.out.split('\n').filter((line) => line.startsWith('FIX'))).toEqual([
        `FIX  gateway         these settings changed after it started, and do not count yet: SALLYPORT_VPN_HOST. Start it again: kill -TERM ${pid} && npm start`,
      ]);
      expect(changed.code).toBe(1);
    },
  );

  it("shows the fingerprint of the console's certificate, which another address changes", STARTS, async () => {
    const trial = await openProgramTrial();
    onTestFinished(() => trial.close());
    const shown = async (host: string) => {
      const env = { SALLYPORT_VPN_HOST: host };
      const started = await trial.start(env);
      const printed = /SHA-256 (\S+)/.exec(started.out)?.[1];
      const { out } = await trial.start(env, { args: ['check'] });
      expect(out).toMatch(new RegExp(`^ok +certificate +the console's is self-signed, SHA-256 ${printed}$`, 'm'));
      await started.end('SIGTERM');
      return printed;
    };
    const before = await shown('203.0.113.7');
    expect(await shown('gw.example.test')).not.toBe(before);
  });

  it('waits for the gateway that a reload starts', STARTS, async () => {
    const trial = await openProgramTrial();
    onTestFinished(() => trial.close());
    const first = await trial.start();
    expect(await first.end('SIGTERM')).toBe(0);
    // nginx goes on; that the gateway is awaited is said before it is started.
    const env = {
      ...(await settings()),
      SALLYPORT_DATA: trial.data,
      SALLYPORT_LISTEN: `127.0.0.1:${trial.ports.listen}`,
    };
    const started = Promise.withResolvers<unknown>();
    const found = await check(env, { told: () => started.resolve(trial.start()), waitMs: 90_000 });
    expect(found).toContainEqual(expect.objectContaining({ what: 'gateway', state: 'ok' }));
    expect(found).toContainEqual(
      expect.objectContaining({ what: 'data', text: expect.stringContaining('is using it') }),
    );
    expect(await started.promise).toMatchObject({ code: null });
  });

  it('says of a gateway that does not answer whether there is one', async () => {
    const [port = 0] = await freePorts(1);
    const listen = { host: '127.0.0.1', port };
    const found = (isUsed: boolean, waitMs = 1, isServing = true) =>
      checkGateway({ listen }, { isUsed: () => isUsed, isServing }, { waitMs });
    expect(await found(true)).toMatchObject({
      state: 'failed',
      text: expect.stringContaining('still starting'),
      command: 'npm start',
    });
    expect(await found(false)).toMatchObject({
      state: 'failed',
      text: expect.stringContaining('no gateway came'),
      fix: 'Start it: npm start',
    });
    expect(await found(false, 1, false)).toMatchObject({
      state: 'failed',
      text: expect.stringMatching(/^systemd starts it/),
      fix: expect.stringMatching(/^Its log says why/),
    });
    const degraded = createHttpServer((_, reply) => reply.writeHead(503).end('{"tunnel":"down"}')).listen(
      port,
      '127.0.0.1',
    );
    await once(degraded, 'listening');
    onTestFinished(() => void degraded.close());
    expect(await found(true, 5000)).toMatchObject({
      state: 'failed',
      text: expect.stringContaining('{"tunnel":"down"}'),
    });
  });
});
