import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openProgramTrial, type ProgramTrial } from '../testing/programTrial.ts';

// The key file of a gateway that has sealed something with it is lost, replaced or damaged.

let trial: ProgramTrial;
let keyFile: string;

beforeEach(async () => {
  trial = await openProgramTrial();
  keyFile = join(trial.data, 'secrets', 'vault.key');
});
afterEach(() => trial.close());

/** Starts, makes a node, and leaves nginx serving. */
async function useOnce(env: NodeJS.ProcessEnv = {}): Promise<{ id: number; token: string }> {
  const first = await trial.start(env);
  await trial.signIn();
  const { body } = await trial.call('POST', '/api/nodes', { name: 'edge' });
  await first.end('SIGTERM');
  return { id: Number(body['id']), token: String(body['token']) };
}

/** What the host of a node is given to connect with. */
const configOf = async (token: string): Promise<string> =>
  JSON.stringify(await trial.call('GET', '/api/cli/wgconfig', undefined, token));

const LOST: [string, (file: string) => void][] = [
  ['is lost', (file) => rmSync(file)],
  ['was replaced', (file) => writeFileSync(file, `${randomBytes(32).toString('base64')}\n`)],
  ['is damaged', (file) => writeFileSync(file, 'damaged')],
];

it.each(LOST)('ends with the two ways on when the key file %s, and leaves everything as it is', async (_, lose) => {
  await useOnce();
  const nginx = trial.nginx();
  lose(keyFile);
  const before = existsSync(keyFile) ? readFileSync(keyFile, 'utf8') : null;
  const second = await trial.start();
  expect(second.code).toBe(1);
  expect(second.err).toContain(keyFile);
  expect(second.err).toMatch(/Put the key .*back.*SALLYPORT_FORGET_KEYS=1/);
  expect(existsSync(keyFile) ? readFileSync(keyFile, 'utf8') : null).toBe(before);
  expect([nginx, trial.nginx()]).toEqual([expect.any(Number), nginx]);
});

it('looks at the key file where SALLYPORT_KEY_FILE puts it', async () => {
  const elsewhere = join(trial.data, '..', 'kept.key');
  const env = { SALLYPORT_KEY_FILE: elsewhere };
  await useOnce(env);
  renameSync(elsewhere, `${elsewhere}.away`);
  const second = await trial.start(env);
  expect([second.code, existsSync(elsewhere)]).toEqual([1, false]);
  expect(second.err).toContain(elsewhere);
  renameSync(`${elsewhere}.away`, elsewhere);
  expect((await trial.start(env)).code).toBeNull();
});

it.each(LOST)(
  'makes new keys with SALLYPORT_FORGET_KEYS=1 when the key file %s, and says who must join again',
  async (_, lose) => {
    const { id, token } = await useOnce();
    const before = await trial.start();
    const kept = { name: 'kept', domain: 'kept.example.test', backendHost: '127.0.0.1', backendPort: 8080 };
    expect(await trial.call('POST', '/api/services/1/http', kept)).toMatchObject({ status: 200 });
    const lost = await configOf(token);
    await before.end('SIGTERM');
    lose(keyFile);
    const program = await trial.start({ SALLYPORT_FORGET_KEYS: '1' });
    expect(program.code).toBeNull();
    expect(program.out).toMatch(/host.* must join again/);
    const { body: node } = await trial.call('GET', `/api/nodes/${id}`);
    expect(node).toMatchObject({ name: 'edge', address: '10.88.0.2', problem: expect.stringMatching(/join.* again/i) });
    expect((await trial.call('GET', '/api/services/http?search=kept')).body).toHaveLength(1);
    expect((await trial.call('GET', `/api/nodes/${id}/pats`)).body).toHaveLength(1);
    const made = await configOf(token);
    expect(made).toMatch(/privateKey/i);
    expect(made).not.toBe(lost);
    await program.end('SIGTERM');

    // Once is enough: what opens is never replaced, however long the variable stays set.
    const later = await trial.start({ SALLYPORT_FORGET_KEYS: '1' });
    expect(await configOf(token)).toBe(made);
    expect(later.out).toMatch(/SALLYPORT_FORGET_KEYS.*not needed/);
  },
);
