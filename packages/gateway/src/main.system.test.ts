import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openStore } from './store/store.ts';
import { freePorts } from './testing/freePorts.ts';
import { openProgramTrial, PASSWORD, type ProgramTrial } from './testing/programTrial.ts';

// The program itself, on a real nginx and a real file, as an administrator starts and ends it.

/** Several starts of the program fit into it, also on a busy machine. */
const STARTS = { timeout: 300_000 };

let backend: Server;
let backendPort: number;
let trial: ProgramTrial;

beforeAll(async () => {
  backend = createServer((incoming, response) => response.end(`backend ${incoming.url}`)).listen(0, '127.0.0.1');
  await once(backend, 'listening');
  backendPort = (backend.address() as AddressInfo).port;
});
afterAll(() => void backend.close());

const expose = (domain: string) =>
  trial.call('POST', '/api/services/1/http', { name: domain, domain, backendHost: '127.0.0.1', backendPort });

/** What it says on standard error, but for its log. */
const sentences = (err: string): string[] => err.split('\n').filter((line) => line !== '' && !line.startsWith('{'));

describe('a gateway that runs', () => {
  let servicePort: number;
  let closedPort: number;

  beforeAll(async () => {
    trial = await openProgramTrial();
    [servicePort = 0, closedPort = 0] = await freePorts(2);
    await trial.start({ SALLYPORT_TCP_PORTS: `${servicePort}-${servicePort}` });
    await trial.signIn();
  });
  afterAll(() => trial.close());

  it.each(['run/gateway.sock', 'run'])('serves the console again after ingress/%s was deleted', async (deleted) => {
    const console = () => trial.visit('gw.example.test', '/healthz', trial.ports.console);
    expect(await console()).toContain('"ok"');
    rmSync(join(trial.data, 'ingress', deleted), { recursive: true });
    const socket = join(trial.data, 'ingress', 'run', 'gateway.sock');
    await vi.waitFor(() => expect(existsSync(socket)).toBe(true));
    // At the same time, and so over new connections: each worker of nginx keeps those that it had.
    const answers = () => Promise.all(Array.from({ length: 8 }, console));
    await vi.waitFor(async () => expect((await answers()).every((answer) => answer.includes('"ok"'))).toBe(true));
  });

  it.each([
    ['an HTTP service', 'http', () => ({ domain: 'app.example.test' })],
    ['a TCP service', 'tcp', () => ({ port: servicePort })],
  ])('finds the backend of %s up, down and up again as soon as it is changed', async (_, type, rest) => {
    const watched = { name: 'watched', backendHost: '127.0.0.1', backendPort, ...rest() };
    const { body: created } = await trial.call('POST', `/api/services/1/${type}`, watched);
    const path = `/api/services/1/${type}/${String(created['id'])}`;
    const isFound = (finding: object) =>
      vi.waitFor(async () => expect((await trial.call('GET', path)).body).toMatchObject(finding), { interval: 50 });
    const up = { health: 'up', healthReason: null };
    await isFound(up);
    await trial.call('PATCH', path, { backendPort: closedPort });
    const healthReason = `Nothing listens on 127.0.0.1:${closedPort}. Start the service, or correct the port.`;
    await isFound({ health: 'down', healthReason });
    // The list is what the console shows.
    const { body: list } = await trial.call('GET', `/api/services/${type}`);
    expect(list).toContainEqual(expect.objectContaining({ id: created['id'], health: 'down' }));
    await trial.call('PATCH', path, { backendPort });
    await isFound(up);
  });

  it('goes on when another one is started in its directory, which ends with a sentence', async () => {
    const { code, err, out } = await trial.start();
    expect([code, sentences(err), out]).toEqual([
      1,
      [expect.stringMatching(/^Another gateway \(process \d+\) is using /)],
      '',
    ]);
    expect((await trial.call('GET', '/healthz')).status).toBe(200);
  });
});

describe('a gateway', () => {
  beforeEach(async () => {
    trial = await openProgramTrial();
  });
  afterEach(() => trial.close());

  it('starts nothing for anyone who asks for something else', async () => {
    const { code, out, err } = await trial.start({}, { args: ['strat'] });
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain("unknown command 'strat'");
    expect(await trial.start({}, { args: ['--version'] })).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\d/),
    });
    expect(existsSync(trial.data)).toBe(false);
  });

  it('tells the first password once, in a file of its own, and forgets it at the first sign-in', async () => {
    const { out, err } = await trial.start({ SALLYPORT_ADMIN_PASSWORD: undefined });
    const file = join(trial.data, 'initial-password');
    const password = readFileSync(file, 'utf8').trim();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(out).toContain(file);
    expect(out + err).not.toContain(password);
    expect(out).toContain(`https://gw.example.test:${trial.ports.console}/`);
    expect(out).toMatch(/SHA-256 (?:[0-9A-F]{2}:){31}[0-9A-F]{2}/);
    expect((await trial.signIn('wrong')).status).toBe(401);
    expect(existsSync(file)).toBe(true);
    expect((await trial.signIn(password)).body['token']).toMatch(/^sps_/);
    expect(existsSync(file)).toBe(false);
  });

  it('loses nothing that it answered when it is killed, and visitors notice nothing', STARTS, async () => {
    const first = await trial.start();
    await trial.signIn();
    await expose('one.example.test');
    const { body: brief } = await expose('brief.example.test');
    const path = `/api/services/1/http/${String(brief['id'])}`;
    const { body: limited } = await trial.call('PATCH', path, { ttl: '1s' });
    const { status } = await expose('two.example.test');
    await first.end('SIGKILL');
    expect(status).toBe(200);
    expect(await trial.visit('one.example.test', '/a')).toBe('backend /a');
    expect(await trial.visit('two.example.test', '/b')).toBe('backend /b');
    await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(Date.parse(String(limited['expiresAt']))));

    let served = 0;
    let done = false;
    const visitor = (async () => {
      while (!done) {
        expect(await trial.visit('two.example.test', '/c')).toBe('backend /c');
        served += 1;
      }
    })();
    // The session lives on as well, also when the same password is given again.
    await trial.start({ SALLYPORT_ADMIN_PASSWORD: PASSWORD });
    const list = await trial.call('GET', '/api/services/http?search=example.test');
    done = true;
    await visitor;
    expect(list.body).toHaveLength(3);
    expect(served).toBeGreaterThan(0);
    // What a time to live has ended while nothing ran is closed.
    expect((await trial.call('GET', path)).body).toMatchObject({ enabled: false, expiresAt: null });
    expect(await trial.visit('brief.example.test')).not.toBe('backend /');
  });

  /** Which processors each worker of nginx may use, as Linux writes it. */
  function processorsOfWorkers(): string[] {
    const master = String(trial.nginx());
    const workers = readFileSync(`/proc/${master}/task/${master}/children`, 'utf8').trim().split(' ');
    return workers.map(processorsOf).toSorted();
  }

  const processorsOf = (pid: string | number): string =>
    /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '';

  it('serves with a worker for each processor that it may use', STARTS, async () => {
    const allowed = processorsOf(process.pid);
    const expected = Array.from({ length: availableParallelism() }, () => allowed);
    // Workers of the configuration before may just be ending.
    const settled = (processors: string[]) => vi.waitFor(() => expect(processorsOfWorkers()).toEqual(processors));
    const all = await trial.start();
    await settled(expected);
    await all.end('SIGINT');

    const last = /\d+$/.exec(allowed)?.[0] ?? '';
    await trial.start({}, { within: ['taskset', '--cpu-list', last] });
    await settled([last]);
  });

  it('leaves services open at SIGTERM, and closes everything at a Ctrl+C, which may arrive twice', STARTS, async () => {
    const first = await trial.start();
    await trial.signIn();
    await expose('app.example.test');
    expect(await first.end('SIGTERM')).toBe(0);
    expect(await trial.visit('app.example.test')).toBe('backend /');

    // Another password from the environment signs everybody out.
    const second = await trial.start({ SALLYPORT_ADMIN_PASSWORD: 'battery staple' });
    expect((await trial.call('GET', '/api/auth/me')).status).toBe(401);
    expect((await trial.signIn('battery staple')).status).toBe(200);
    expect(second.out + second.err).not.toContain('staple');
    // Signals of one kind that come together are one, so the third is the second.
    const ends = (['SIGINT', 'SIGINT', 'SIGTERM'] as const).map((signal) => second.end(signal));
    expect(await Promise.all(ends)).toEqual([0, 0, 0]);
    expect(await trial.visit('app.example.test')).toBe('ECONNREFUSED');

    // Nor does a start that fails leave the nginx behind that it has started.
    mkdirSync(join(trial.data, 'initial-password'));
    expect((await trial.start({ SALLYPORT_ADMIN_PASSWORD: PASSWORD })).code).toBe(1);
    expect(await trial.visit('app.example.test')).toBe('ECONNREFUSED');
  });

  it('starts and goes on when no one reads what it says', STARTS, async () => {
    const ended = trial.start({}, { unread: true });
    await vi.waitFor(async () => expect((await trial.call('GET', '/healthz')).status).toBe(200), STARTS);
    expect((await trial.signIn('wrong')).status).toBe(401);
    expect((await trial.signIn()).status).toBe(200);
    await trial.close();
    expect((await ended).code).toBe(0);
  });

  it.each<[string, RegExp, () => Promise<void>]>([
    [
      'an occupied address',
      /^The gateway cannot listen on 127\.0\.0\.1:\d+: another program or a service of this gateway uses it\. .*SALLYPORT_LISTEN\.$/,
      async () => void (trial.ports.listen = backendPort),
    ],
    ['an occupied port for visitors', /SALLYPORT_HTTPS_PORT\.$/, async () => void (trial.ports.https = backendPort)],
    [
      'a damaged database',
      /^The database .* is damaged\. It was left as it is/,
      async () => {
        const file = join(trial.data, 'sallyport.db');
        mkdirSync(trial.data);
        writeFileSync(join(trial.data, 'gateway.lock'), '');
        await openStore(file, () => new Date()).close();
        writeFileSync(file, Buffer.concat([readFileSync(file).subarray(0, 5000), Buffer.alloc(50_000, 7)]));
      },
    ],
    [
      'a data directory that is a file',
      /is not a directory\. Choose another one with SALLYPORT_DATA\.$/,
      async () => writeFileSync(trial.data, ''),
    ],
  ])('ends with one sentence and exit code 1 for %s', async (_, sentence, prepare) => {
    await prepare();
    const database = join(trial.data, 'sallyport.db');
    const before = existsSync(database) ? readFileSync(database) : null;
    const { code, out, err } = await trial.start();
    expect([code, sentences(err), out]).toEqual([1, [expect.stringMatching(sentence)], '']);
    expect(before === null || readFileSync(database).equals(before)).toBe(true);
  });
});
