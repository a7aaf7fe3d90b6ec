import { TEST_ADMIN } from '@sallyport/gateway/testing';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ADMIN_ENV, GATEWAY_URL } from '../testing/shell.ts';
import { signedIn } from '../testing/signedIn.ts';

let at: Awaited<ReturnType<typeof signedIn>>;
beforeEach(async () => {
  at = await signedIn();
});

const secretOf = async (line: string) => (await at.run(`api-token create ${line}`)).out.trim();

describe('api-token', () => {
  it('is made for some nodes, listed without its secret, and deleted', async () => {
    const made = await at.run(
      'api-token create ci --scope services:write,logs:read --node edge --expire-at 2027-01-31',
    );
    expect([made.code, made.err]).toEqual([0, 'Keep the token now: it is not shown again.\n']);
    const secret = made.out.trim();
    expect(secret).toMatch(/^spa_/);
    const listed = await at.run('api-token list');
    expect(listed.out).toBe(
      `1\tci\t${secret.slice(0, 8)}\tservices:write,logs:read\t${at.ids.edgeId}\t2027-01-31T00:00:00.000Z\t\n`,
    );
    expect((await at.run('api-token delete ci')).code).toBe(2);
    expect((await at.run('api-token delete ci --yes')).err).toBe('Deleted API token "ci".\n');
    expect((await at.run('api-token delete ci --yes')).code).toBe(5);
  });

  it('is written to a file that only its owner reads', async () => {
    const file = join(at.shell.configDirectory, 'token-file');
    expect((await at.run(['api-token', 'create', 'ci', '--scope', 'nodes:read', '--output', file])).out).toBe('');
    expect(readFileSync(file, 'utf8')).toMatch(/^spa_\S+\n$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['--scope nodes:delete', '--scope'],
    ['--scope domains:read --node edge', 'Domains belong to no node'],
    ['--node edge', '--scope'],
  ])('is not made with %s', async (flags, said) => {
    const { code, err } = await at.run(`api-token create ci ${flags}`);
    expect(code).toBe(2);
    expect(err).toContain(said);
  });
});

describe('SALLYPORT_TOKEN', () => {
  it('is used instead of a profile, for the gateway that is named', async () => {
    const token = await secretOf('ci --scope nodes:read');
    const env = { SALLYPORT_TOKEN: token, SALLYPORT_URL: GATEWAY_URL, SALLYPORT_CONFIG_DIR: '/nonexistent' };
    expect((await at.run('node list', { env })).out).toContain('edge');
    const refused = await at.run('domain list', { env });
    expect([refused.code, refused.err]).toEqual([4, expect.stringContaining('its scope needs "domains:read"')]);
  });

  it('goes nowhere without the address of its gateway, nor over plain HTTP', async () => {
    const token = await secretOf('ci --scope nodes:read');
    at.asked.length = 0;
    const alone = await at.run('node list', { env: { SALLYPORT_TOKEN: token } });
    expect([alone.code, alone.err]).toEqual([2, expect.stringContaining('SALLYPORT_URL')]);
    const env = { SALLYPORT_TOKEN: token, SALLYPORT_URL: 'http://gateway.example.test' };
    expect((await at.run('node list', { env })).err).toContain('plain HTTP');
    expect(at.asked).toEqual([]);
  });

  it('of a node leaves the profile in use', async () => {
    const { code } = await at.run('node list', { env: { SALLYPORT_TOKEN: 'spn_token-of-a-node' } });
    expect(code).toBe(0);
  });
});

describe('login --token-file', () => {
  const fileWith = (text: string) => {
    const file = join(at.shell.configDirectory, 'token-file');
    writeFileSync(file, text);
    return file;
  };
  const login = (file: string) =>
    at.run(['login', '--url', GATEWAY_URL, '--token-file', file, '--profile', 'ci', '--no-input']);

  it('keeps the token in a profile, which logout forgets without ending it elsewhere', async () => {
    const token = await secretOf('ci --scope nodes:read');
    const made = await login(fileWith(`${token}\n`));
    expect([made.code, made.err]).toEqual([0, `Signed in to ${GATEWAY_URL} with the API token "ci".\n`]);
    expect(`${made.out}${made.err}`).not.toContain(token);
    expect((await at.run('node list --profile ci')).code).toBe(0);
    expect((await at.run('logout --profile ci')).err).toContain('Forgot the API token');
    expect((await at.run('node list --profile ci')).code).toBe(4);
    expect((await login(fileWith(token))).code).toBe(0);
  });

  it('keeps nothing that the gateway does not accept, and sends nothing that is no API token', async () => {
    expect((await login(fileWith('spa_wrong-wrong'))).code).toBe(4);
    at.asked.length = 0;
    expect((await login(fileWith(TEST_ADMIN.password.replaceAll(' ', '')))).code).toBe(2);
    expect(at.asked).toEqual([]);
    expect((await at.run('node list --profile ci')).code).toBe(4);
  });
});

describe('session', () => {
  it('lists the sessions and ends all but the own one', async () => {
    const env = { ...ADMIN_ENV, SALLYPORT_URL: GATEWAY_URL };
    await at.run('login --operator --profile other', { env });
    const before = (await at.run('session list')).out.trim().split('\n');
    expect(before.filter((line) => line.split('\t')[1] === 'own')).toHaveLength(1);
    expect((await at.run('session end')).code).toBe(2);
    expect((await at.run('session end --others --yes')).err).toBe('Ended all other sessions.\n');
    expect((await at.run('session list')).out.trim().split('\n')).toHaveLength(1);
    expect((await at.run('node list --profile other')).code).toBe(4);
  });

  it('ends one by its id', async () => {
    const own = (await at.json('session list')).find(({ isOwn }: { isOwn: boolean }) => isOwn);
    expect((await at.run(`session end ${own.id} --yes`)).code).toBe(0);
    expect((await at.run('node list')).code).toBe(4);
  });
});

describe('password', () => {
  it('is changed by a script, with the current one from the environment', async () => {
    const env = { SALLYPORT_PASSWORD: TEST_ADMIN.password };
    const changed = await at.run('password --new-password-stdin', { env, input: 'battery staple\n' });
    expect(changed.err).toBe('Changed the password. All other sessions have ended; API tokens stay.\n');
    expect((await at.run('node list')).code).toBe(0);
    const again = await at.run('password --new-password-stdin', { env, input: 'battery staple\n' });
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('This is not the password')]);
  });

  it('is asked for at a terminal, the new one twice', async () => {
    const answers = [
      ['Current password: ', `${TEST_ADMIN.password}\r`],
      ['New password: ', 'battery staple\r'],
      ['New password again: ', 'battery stapel\r'],
    ] as const;
    const { code, err } = await at.run('password', { terminal: true, answers });
    expect([code, err]).toEqual([2, expect.stringContaining('The two new passwords differ')]);
    expect(err).not.toContain('battery');
  });
});
