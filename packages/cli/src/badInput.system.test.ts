import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type Server, type Socket, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TEST_ADMIN, createTestGateway } from '@sallyport/gateway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPiped } from './testing/process.ts';
import { type Served, listen, serve } from './testing/serve.ts';

const MAY_MOUNT = spawnSync('unshare', ['--mount', 'true']).status === 0;
if (!MAY_MOUNT) process.stderr.write('skipped: only root can have a full disk, and not in every container\n');

const ONE_SENTENCE = /^sallyport: [^\n]+\n$/;

let base: string;
let gateway: Awaited<ReturnType<typeof createTestGateway>>;
let server: Served;

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'sallyport-cli-'));
  gateway = await createTestGateway({ now: new Date() });
  server = await serve(gateway.fetch);
});
afterAll(async () => {
  await server.close();
  await gateway.stop();
  rmSync(base, { recursive: true });
});

const newDirectory = () => mkdtempSync(join(base, 'directory-'));
const run = (argv: readonly string[], directory: string, more: Record<string, string> = {}) =>
  startPiped(argv, { SALLYPORT_CONFIG_DIR: directory, SALLYPORT_URL: server.url, ...more }).ended;
const signIn = (directory: string, ...more: string[]) =>
  run(['login', '--operator', ...more], directory, {
    SALLYPORT_USERNAME: TEST_ADMIN.username,
    SALLYPORT_PASSWORD: TEST_ADMIN.password,
  });

describe('the file of the sessions', () => {
  it.runIf(MAY_MOUNT)('stays whole on a full disk: 1', async () => {
    const disk = newDirectory();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=700', 'sallyport-test', disk]);
    try {
      expect((await signIn(disk)).code).toBe(0);
      const before = readFileSync(join(disk, 'config.json'), 'utf8');
      const fill = ['if=/dev/zero', `of=${join(disk, 'fill')}`, 'bs=4k'];
      expect(() => execFileSync('dd', fill, { stdio: 'ignore' })).toThrow(/dd/);
      const { code, err } = await signIn(disk, '--profile', 'second');
      expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(ONE_SENTENCE) });
      expect(err).toContain('the disk is full. Free some space');
      expect(readFileSync(join(disk, 'config.json'), 'utf8')).toBe(before);
      expect(readdirSync(disk).toSorted()).toEqual(['config.json', 'fill']);
    } finally {
      execFileSync('umount', [disk]);
    }
  });

  it.each([
    ['half written', '{"version":1,"profiles":{"default":{"url":"http'],
    ['of nothing but zeroes, as a crash leaves it', '\0\0\0\0\0\0\0\0'],
    ['of another shape', '{"version":1,"profiles":{"default":{"url":5}}}'],
    ['of a newer version', '{"version":99,"profiles":{}}'],
  ])('is left as it is when it is %s: 1', async (_, content) => {
    const directory = newDirectory();
    writeFileSync(join(directory, 'config.json'), content);
    for (const ended of await Promise.all([run(['node', 'list'], directory), signIn(directory)])) {
      expect(ended).toMatchObject({ code: 1, out: '', err: expect.stringMatching(ONE_SENTENCE) });
      expect(ended.err).toContain(join(directory, 'config.json'));
    }
    expect(readFileSync(join(directory, 'config.json'), 'utf8')).toBe(content);
    expect(readdirSync(directory)).toEqual(['config.json']);
  });

  it('says what is in its way: 1', async () => {
    const directory = newDirectory();
    mkdirSync(join(directory, 'config.json'));
    const { code, err } = await signIn(directory);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(ONE_SENTENCE) });
  });
});

describe('the gateway', () => {
  it('has revoked the session: 4, and how to get another', async () => {
    const directory = newDirectory();
    await signIn(directory);
    const { token } = JSON.parse(readFileSync(join(directory, 'config.json'), 'utf8')).profiles.default;
    const logout = new Request(`${server.url}/api/auth/logout`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    });
    expect((await gateway.fetch(logout)).ok).toBe(true);
    const ended = await run(['node', 'list'], directory);
    expect(ended).toMatchObject({ code: 4, out: '', err: expect.stringMatching(ONE_SENTENCE) });
    expect(ended.err).toContain('sallyport login --operator');
    expect(ended.err).not.toContain(token);
  });

  it.each([
    ['a page', 200, 'text/html', '<!doctype html><title>Router</title>'],
    ['JSON of another kind', 200, 'application/json', '{"hello":"world"}'],
    ['that it knows no such page', 404, 'text/html', '<h1>Not Found</h1>'],
    ['nonsense', 200, 'application/json', '{"data":'],
  ])('is something else, which answers with %s: not signed in, nothing kept', async (_, status, type, body) => {
    const other = await listen((_request, response) => response.writeHead(status, { 'content-type': type }).end(body));
    const directory = newDirectory();
    try {
      const ended = await run(['login', '--operator'], directory, {
        SALLYPORT_URL: other.url,
        SALLYPORT_USERNAME: 'admin',
        SALLYPORT_PASSWORD: 'canary-password',
      });
      expect(ended).toMatchObject({ code: 6, out: '', err: expect.stringMatching(ONE_SENTENCE) });
      expect(ended.err).not.toContain('canary');
      expect(readdirSync(directory)).toEqual([]);
    } finally {
      await other.close();
    }
  });

  type Other = readonly [what: string, scheme: string, open: () => Server, sentence: RegExp];
  const others: Other[] = [
    [
      'speaks plain HTTP at an https address',
      'https',
      () => createHttpServer((_request, response) => response.end('<h1>Router</h1>')),
      /does not speak HTTPS; check the address and its port\.$/,
    ],
    [
      'speaks something else than HTTP',
      'http',
      () => createServer((socket) => socket.on('error', () => undefined).end('SSH-2.0-OpenSSH_9.2\r\n\x1b[2J')),
      /does not speak HTTP; check the address and its port/,
    ],
    [
      'speaks something else than TLS',
      'https',
      () => createServer((socket) => socket.on('error', () => undefined).end('SSH-2.0-OpenSSH_9.2\r\n\x1b[2J')),
      /does not speak HTTPS; check the address and its port\.$/,
    ],
    [
      'hangs up',
      'https',
      () => createServer((socket) => socket.destroy()),
      /Check the address, and that the gateway runs\.$/,
    ],
    [
      'hangs up',
      'http',
      () => createServer((socket) => socket.destroy()),
      /Check the address, and that the gateway runs\.$/,
    ],
  ];

  it.each(others)('%s (%s): 6, and neither password nor token was said', async (_, scheme, open, sentence) => {
    const heard: Buffer[] = [];
    const other = open().on('connection', (socket: Socket) => socket.on('data', (chunk: Buffer) => heard.push(chunk)));
    await once(other.listen(0, '127.0.0.1'), 'listening');
    const address = other.address();
    const url = `${scheme}://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
    const directory = newDirectory();
    try {
      const password = { SALLYPORT_USERNAME: 'admin', SALLYPORT_PASSWORD: 'canary-password' };
      const ended = await run(['login', '--operator', '--url', url], directory, password);
      expect(ended).toMatchObject({ code: 6, out: '', err: expect.stringMatching(ONE_SENTENCE) });
      expect(ended.err.trim()).toMatch(sentence);
      expect(Buffer.concat(heard).toString('latin1')).not.toContain('canary');
      expect(readdirSync(directory)).toEqual([]);
    } finally {
      other.close();
    }
  });
});
