import { createServer } from 'node:net';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { DATABASE_FILE } from '../start/dataFiles.ts';
import { ingressPorts } from '../start/ingressPorts.ts';
import { openStore } from '../store/store.ts';
import { freePorts } from '../testing/freePorts.ts';
import { openProgramTrial, PASSWORD, type ProgramTrial } from '../testing/programTrial.ts';
import { check } from './check.ts';

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
    };
  };
  const faults = async (env: NodeJS.ProcessEnv) => (await check(env)).filter(({ isFine }) => !isFine);

  it('finds nothing to do on a machine that has all', async () => {
    expect(await faults(await settings())).toEqual([]);
  });

  it('names a port that another program has, and the setting', async () => {
    const env = await settings();
    const other = createServer().listen(Number(env.SALLYPORT_HTTP_PORT), '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    expect(await faults(env)).toEqual([
      {
        what: `port ${env.SALLYPORT_HTTP_PORT}`,
        isFine: false,
        text: expect.stringContaining('SALLYPORT_HTTP_PORT: another program listens there'),
        fix: expect.stringContaining(`sport = :${env.SALLYPORT_HTTP_PORT}`),
      },
    ]);
  });

  it('looks at the ports that the first start chose, and says before it which ones it will', async () => {
    const { SALLYPORT_HTTP_PORT: http, SALLYPORT_HTTPS_PORT: https, ...env } = await settings();
    expect(await check(env)).toContainEqual(
      expect.objectContaining({ what: 'ports', isFine: true, text: expect.stringMatching(/arrive on \d+ and \d+/) }),
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
    expect(found.filter(({ what }) => what === 'ports')).toEqual([]);
    expect(found).toContainEqual(expect.objectContaining({ what: `port ${http}`, isFine: true }));
    expect(found).toContainEqual(
      expect.objectContaining({
        what: `port ${https}`,
        isFine: false,
        text: expect.stringContaining('another program'),
      }),
    );
    expect(readFileSync(file)).toEqual(before);
  });

  it('names a setting that cannot be read, and a name that other machines do not know', async () => {
    const env = await settings();
    expect(await faults({ ...env, SALLYPORT_HTTP_PORT: '80a' })).toMatchObject([
      { what: 'settings', text: expect.stringContaining('SALLYPORT_HTTP_PORT must be a port') },
    ]);
    expect(await faults({ ...env, SALLYPORT_VPN_HOST: 'localhost' })).toMatchObject([
      { what: 'public name', fix: expect.stringContaining('Set SALLYPORT_VPN_HOST') },
    ]);
  });

  it('leaves the ports of a gateway that runs alone', STARTS, async () => {
    const trial = await openProgramTrial(join(base, 'data'));
    onTestFinished(() => trial.close());
    await trial.start();
    const { code, out } = await trial.start({ SALLYPORT_VPN_HOST: '203.0.113.7' }, { args: ['check', '--json'] });
    expect(JSON.parse(out)).toContainEqual(expect.objectContaining({ what: 'ports', isFine: true }));
    expect(code).toBe(0);
  });
});
