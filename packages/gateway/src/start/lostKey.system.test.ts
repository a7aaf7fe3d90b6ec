import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { kernelWithWireguard } from '../testing/namespacedTunnel.ts';
import { openProgramTrial, type ProgramTrial } from '../testing/programTrial.ts';

// The key file of a gateway that has sealed something with it is lost, replaced or damaged.

/** Several starts of the program fit into it, also on a busy machine. */
const STARTS = { timeout: 300_000 };

let trial: ProgramTrial;

beforeEach(async () => {
  trial = await openProgramTrial();
});
afterEach(() => trial.close());

/** Starts, makes a node and a service, and leaves nginx serving. */
async function useOnce(env: NodeJS.ProcessEnv = {}): Promise<{ id: number; lost: string; config(): Promise<string> }> {
  const first = await trial.start(env);
  await trial.signIn();
  const { body } = await trial.call('POST', '/api/nodes', { name: 'edge' });
  const kept = { name: 'kept', domain: 'kept.example.test', backendHost: '127.0.0.1', backendPort: 8080 };
  expect(await trial.call('POST', '/api/services/1/http', kept)).toMatchObject({ status: 200 });
  // What the host of the node is given to connect with.
  const config = async (): Promise<string> =>
    JSON.stringify(await trial.call('GET', '/api/cli/wgconfig', undefined, String(body['token'])));
  const lost = await config();
  await first.end('SIGTERM');
  return { id: Number(body['id']), lost, config };
}

it(
  'ends with the two ways on where SALLYPORT_KEY_FILE puts the key file, and leaves everything as it is',
  STARTS,
  async () => {
    const keyFile = join(trial.data, '..', 'kept.key');
    const env = { SALLYPORT_KEY_FILE: keyFile };
    await useOnce(env);
    const nginx = trial.nginx();
    const key = readFileSync(keyFile);
    const content = (): string | null => (existsSync(keyFile) ? readFileSync(keyFile, 'utf8') : null);
    for (const [state, lose] of [
      ['is missing', () => rmSync(keyFile)],
      ['is not the one', () => writeFileSync(keyFile, `${randomBytes(32).toString('base64')}\n`)],
      ['is damaged', () => writeFileSync(keyFile, 'damaged')],
    ] as const) {
      lose();
      const before = content();
      const { code, err } = await trial.start(env);
      expect([code, err]).toEqual([1, expect.stringContaining(`${keyFile} ${state}`)]);
      expect(err).toMatch(/Put the key .*back.*SALLYPORT_FORGET_KEYS=1/);
      expect(content()).toBe(before);
      writeFileSync(keyFile, key, { mode: 0o600 });
    }
    expect([nginx, trial.nginx()]).toEqual([expect.any(Number), nginx]);
    expect((await trial.start(env)).code).toBeNull();
  },
);

it('makes new keys with SALLYPORT_FORGET_KEYS=1 once, and says who must join again', STARTS, async () => {
  const { id, lost, config } = await useOnce();
  writeFileSync(join(trial.data, 'secrets', 'vault.key'), 'damaged');
  const program = await trial.start({ SALLYPORT_FORGET_KEYS: '1' });
  expect(program.code).toBeNull();
  expect(program.out).toMatch(/host.* must join again/);
  const { body: node } = await trial.call('GET', `/api/nodes/${id}`);
  expect(node).toMatchObject({ name: 'edge', address: '10.88.0.2', problem: expect.stringMatching(/join.* again/i) });
  expect((await trial.call('GET', '/api/services/http?search=kept')).body).toHaveLength(1);
  expect((await trial.call('GET', `/api/nodes/${id}/pats`)).body).toHaveLength(1);
  const made = await config();
  expect(made).toMatch(/privateKey/i);
  expect(made).not.toBe(lost);
  await program.end('SIGTERM');

  // What opens is never replaced, however long the variable stays set.
  const later = await trial.start({ SALLYPORT_FORGET_KEYS: '1' });
  expect(await config()).toBe(made);
  expect(later.out).toMatch(/SALLYPORT_FORGET_KEYS.*not needed/);
});

it('says it once, in words on a terminal, or in the log where the start fails', STARTS, async () => {
  await useOnce();
  const key = join(trial.data, 'secrets', 'vault.key');
  const env = { SALLYPORT_FORGET_KEYS: '1' };
  const said = (text: string): number => text.split('must join again').length - 1;
  writeFileSync(key, 'damaged');
  const shown = await trial.start(env, { typed: '' });
  expect(shown.out).toMatch(/^ {2}Keys {6}.*must join again/m);
  expect([said(shown.out), shown.out.match(/^\{"level"/gm)]).toEqual([1, null]);
  await shown.end('SIGINT');

  writeFileSync(key, 'damaged');
  const logged = await trial.start(env);
  expect([said(logged.out), said(logged.err)]).toEqual([1, 0]);
  await logged.end('SIGINT');

  // The next start no longer knows of it.
  writeFileSync(key, 'damaged');
  const failed = await trial.start({ ...env, SALLYPORT_CONSOLE_PORT: String(trial.ports.http) });
  expect([failed.code, said(failed.err)]).toEqual([1, 1]);
});

it('leaves the tunnel as it is where the key file or the database is lost', STARTS, async ({ skip }) => {
  const namespace = spawnSync('unshare', ['--net', 'nft', 'list', 'ruleset']);
  skip(namespace.status !== 0, 'nft is missing, or this machine lets no one make network namespaces');
  await useOnce();
  const programs = await kernelWithWireguard();
  onTestFinished(programs.close);
  const env = { PATH: `${programs.directory}:${process.env['PATH']}`, SALLYPORT_TUNNEL: 'on' };
  // A network of its own for as long as something holds it.
  const network = spawn('unshare', ['--net', 'sh', '-c', 'ip link set lo up && echo && exec cat']);
  onTestFinished(() => void network.stdin.end());
  await once(network.stdout, 'data');
  const within = ['nsenter', `--net=/proc/${network.pid}/ns/net`];
  const tunnel = (): string => {
    const read = 'ip -json -4 address show dev sallyport0; ip route; nft list ruleset; wg show sallyport0 dump';
    return execFileSync('nsenter', [...within.slice(1), 'sh', '-ec', read], { env, encoding: 'utf8' });
  };
  const program = await trial.start(env, { within });
  await program.end('SIGTERM');
  const before = tunnel();
  expect(before).toMatch(/table inet sallyport.*\t10\.88\.0\.2\/32\t/s);
  for (const file of ['secrets/vault.key', 'sallyport.db']) {
    const path = join(trial.data, file);
    renameSync(path, `${path}.away`);
    expect(await trial.start(env, { within })).toMatchObject({ code: 1, err: expect.stringContaining(path) });
    expect(tunnel()).toBe(before);
    renameSync(`${path}.away`, path);
  }
});
