import { TEST_ADMIN, createTestGateway } from '@sallyport/gateway/testing';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { GATEWAY_URL, createShell } from '../testing/shell.ts';

const { username, password } = TEST_ADMIN;
const login = ['login', '--operator', '--url', GATEWAY_URL, '--username', username, '--password-stdin'];

let gateway: Awaited<ReturnType<typeof createTestGateway>>;
let shell: ReturnType<typeof createShell>;
let asked: string[];
let answered: number[];

beforeEach(async () => {
  gateway = await createTestGateway();
  asked = [];
  answered = [];
  shell = createShell(async (request) => {
    asked.push(request.url);
    const reply = await gateway.fetch(request);
    answered.push(reply.status);
    return reply;
  }, gateway.clock.now);
  return () => gateway.stop();
});

const profiles = () => JSON.parse(readFileSync(shell.configFile, 'utf8')).profiles;

describe('login', () => {
  it('signs in and keeps the session', async () => {
    const { code, out, err } = await shell.run(login, { input: `${password}\n` });
    expect({ code, out, err }).toEqual({
      code: 0,
      out: '',
      err: `Signed in to ${GATEWAY_URL} as admin until 2026-11-22T00:00:00.000Z.\n`,
    });
    expect(profiles().default).toEqual({
      url: GATEWAY_URL,
      username,
      token: expect.stringMatching(/^sps_/),
      expiresAt: '2026-11-22T00:00:00.000Z',
      pin: null,
    });
    expect(statSync(shell.configFile).mode & 0o777).toBe(0o600);
    expect((await shell.run(['node', 'list'])).code).toBe(0);
  });

  it('sends nothing that the gateway refuses, as its log would show an attack', async () => {
    await shell.run(login, { input: `${password}\n` });
    expect(answered).toEqual([200, 200]);
  });

  it('takes all it needs from the environment, and answers in JSON without the token', async () => {
    const env = { SALLYPORT_URL: GATEWAY_URL, SALLYPORT_USERNAME: username, SALLYPORT_PASSWORD: password };
    const { code, out } = await shell.run(['login', '--operator', '--json', '--quiet', '--profile', 'ci'], { env });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      version: 1,
      profile: 'ci',
      url: GATEWAY_URL,
      username,
      expiresAt: '2026-11-22T00:00:00.000Z',
    });
    expect(Object.keys(profiles())).toEqual(['ci']);
  });

  it('asks at a terminal for what is missing, and never shows the password', async () => {
    const answers = [
      ['Address of the gateway: ', `${GATEWAY_URL}\r`],
      ['User name: ', `${username}\r`],
      ['Password: ', `${password}\r`],
    ] as const;
    const { code, out, err } = await shell.run(['login', '--operator'], { terminal: true, answers });
    expect(code).toBe(0);
    expect(`${out}${err}`).not.toContain(password);
    expect(err).toMatch(/Address of the gateway: .*User name: .*Password: .*Signed in to/s);
    expect(profiles().default.username).toBe(username);
    // The next time the same administrator is proposed.
    const again = [
      [`User name [${username}]: `, '\r'],
      ['Password: ', `${password}\r`],
    ] as const;
    expect((await shell.run(['login', '--operator'], { terminal: true, answers: again })).code).toBe(0);
    expect(profiles().default.username).toBe(username);
  });

  it.each([
    ['no one sits there', [], {}],
    ['it may not', ['--no-input'], { terminal: true }],
  ])('does not ask when %s', async (_, more, options) => {
    const { code, err } = await shell.run(['login', '--operator', '--url', GATEWAY_URL, ...more], options);
    expect(code).toBe(2);
    expect(err).toBe(
      'sallyport: There is no terminal to ask for the user name. Give it by a flag or the environment; see --help.\n',
    );
  });

  it('sends no password under an empty name', async () => {
    const nameless = login.map((word) => (word === username ? '' : word));
    const { code, err } = await shell.run(nameless, { input: password });
    expect({ code, err }).toEqual({ code: 2, err: 'sallyport: No user name was given. Give it with --username.\n' });
  });

  it('answers a wrong password with exit code 4, and keeps what was there', async () => {
    await shell.run(login, { input: password });
    const before = profiles();
    const { code, err } = await shell.run(login, { input: 'wrong' });
    expect({ code, err }).toEqual({ code: 4, err: 'sallyport: The user name or the password is wrong. Try again.\n' });
    expect(profiles()).toEqual(before);
  });

  it('says how long to wait after too many wrong passwords', async () => {
    for (let attempt = 0; attempt < 5; attempt += 1) await shell.run(login, { input: 'wrong' });
    const { code, err } = await shell.run(login, { input: password });
    expect(code).toBe(4);
    expect(err).toMatch(/^sallyport: Too many attempts, try again later \(in \d+ s\)/);
  });

  it('sends no password over plain HTTP to another machine, unless told to', async () => {
    const http = login.map((word) => (word === GATEWAY_URL ? 'http://gateway.example.test' : word));
    const refused = await shell.run(http, { input: password });
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('is plain HTTP, so the password or token could be read on the way');
    expect(asked).toEqual([]);
    expect((await shell.run([...http, '--insecure-http'], { input: password })).code).toBe(0);
    const local = http.map((word) => word.replace('gateway.example.test', '127.0.0.1'));
    expect((await shell.run(local, { input: password })).code).toBe(0);
  });

  it.each([
    ['a web site', () => new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } })],
    ['a web site without such a page', () => new Response('Not found', { status: 404 })],
    ['something that redirects', () => Response.redirect('https://elsewhere.example.test/', 302)],
    ['something that breaks off', () => new Response('{"token": "sps_')],
  ])('ends with exit code 6 when %s answers', async (_, answer) => {
    const other = createShell(async () => answer());
    const { code, err } = await other.run(login, { input: password });
    expect(code).toBe(6);
    expect(err).toMatch(/^sallyport: .*Check the address.*\n$/);
    expect(err).not.toContain('sps_');
  });

  it('ends with exit code 6 when nothing answers, and names the pin when the certificate is not trusted', async () => {
    const refuse = (code: string) => async () => {
      throw Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error('no'), { code }) });
    };
    const down = await createShell(refuse('ECONNREFUSED')).run(login, { input: password });
    expect(down.code).toBe(6);
    expect(down.err).toBe(
      `sallyport: The gateway cannot be reached (${GATEWAY_URL}). Check the address, and that the gateway runs.\n`,
    );
    const local = login.map((word) => (word === GATEWAY_URL ? 'https://127.0.0.1:1' : word));
    const untrusted = await createShell(refuse('DEPTH_ZERO_SELF_SIGNED_CERT')).run(local, { input: password });
    expect(untrusted.code).toBe(6);
    expect(untrusted.err).toContain('--pin');
  });

  it('refuses a pin where there is no certificate', async () => {
    const http = login.map((word) => (word === GATEWAY_URL ? 'http://127.0.0.1:3000' : word));
    const { code, err } = await shell.run([...http, '--pin', 'AB'.repeat(32)], { input: password });
    expect(code).toBe(2);
    expect(err).toContain('has no certificate to pin');
  });
});

describe('logout', () => {
  it('ends the session at the gateway and forgets it', async () => {
    await shell.run(login, { input: password });
    const { token } = profiles().default;
    const { code, err } = await shell.run(['logout']);
    expect({ code, err }).toEqual({ code: 0, err: `Signed out of ${GATEWAY_URL}.\n` });
    expect(profiles()).toEqual({});
    const reply = await gateway.fetch('/api/auth/me', { headers: { authorization: `Bearer ${token}` } });
    expect(reply.status).toBe(401);
    expect((await shell.run(['logout'])).err).toBe('Profile "default" is not signed in.\n');
  });

  it('keeps the session while the gateway cannot be told, unless it is only to be forgotten', async () => {
    await shell.run(login, { input: password });
    await gateway.stop();
    const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    const away = createShell(async () => Promise.reject(new TypeError('fetch failed', { cause })));
    const env = { SALLYPORT_CONFIG_DIR: shell.configDirectory };
    const { code, err } = await away.run(['logout'], { env });
    expect(code).toBe(6);
    expect(err).toContain('so the session was not ended');
    expect(Object.keys(profiles())).toEqual(['default']);
    expect((await away.run(['logout', '--forget'], { env })).code).toBe(0);
    expect(profiles()).toEqual({});
  });

  it('forgets a session that the gateway has ended already', async () => {
    await shell.run(login, { input: password });
    const config = readFileSync(shell.configFile, 'utf8');
    writeFileSync(shell.configFile, config.replace(/sps_[^"]*/, 'sps_revoked'));
    expect((await shell.run(['logout'])).code).toBe(0);
    expect(profiles()).toEqual({});
  });
});

describe('a session', () => {
  it('is asked for when there is none, when it has ended and when the gateway refuses it', async () => {
    const none = await shell.run(['node', 'list']);
    expect(none.code).toBe(4);
    expect(none.err).toContain('Profile "default" is not signed in. Run `sallyport login --operator --url URL`.');

    await shell.run(login, { input: password });
    gateway.clock.advance(13 * 3_600_000);
    asked.length = 0;
    const ended = await shell.run(['node', 'list']);
    expect(ended.code).toBe(4);
    expect(ended.err).toContain(`Run \`sallyport login --operator --url ${GATEWAY_URL}\`.`);
    expect(asked).toEqual([]);

    await shell.run(login, { input: password });
    writeFileSync(shell.configFile, readFileSync(shell.configFile, 'utf8').replace(/sps_[^"]*/, 'sps_revoked'));
    const refused = await shell.run(['node', 'list']);
    expect(refused.code).toBe(4);
    expect(refused.err).toMatch(/session any more\. Sign in with `sallyport login --operator`\.\n$/);
  });

  it('never goes to another gateway than the one that gave it', async () => {
    await shell.run(login, { input: password });
    asked.length = 0;
    const { code, err } = await shell.run(['node', 'list', '--url', 'https://other.example.test']);
    expect(code).toBe(4);
    expect(err).toContain(`is signed in to ${GATEWAY_URL}, not to https://other.example.test.`);
    expect(asked).toEqual([]);
  });
});
