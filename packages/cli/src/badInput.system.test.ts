import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type Server, type Socket, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TEST_ADMIN } from '@sallyport/gateway/testing';
import { expect, it, onTestFinished } from 'vitest';
import { startPiped } from './testing/process.ts';
import { servedGateway } from './testing/servedGateway.ts';
import { ADMIN_ENV } from './testing/shell.ts';

const MAY_MOUNT = spawnSync('unshare', ['--mount', 'true']).status === 0;
if (!MAY_MOUNT) process.stderr.write('skipped: only root can have a full disk, and not in every container\n');

const ONE_SENTENCE = /^sallyport: [^\n]+\n$/;

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-cli-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

/** Where a server listens, `HOST:PORT`. */
async function placeOf(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return `127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}

const signIn = (directory: string, url: string, ...more: string[]) =>
  startPiped(['login', '--operator', '--url', url, ...more], { SALLYPORT_CONFIG_DIR: directory, ...ADMIN_ENV }).ended;

it.runIf(MAY_MOUNT)('the file of the sessions stays whole on a full disk: 1', async () => {
  const at = await servedGateway();
  onTestFinished(at.close);
  const disk = at.newFolder();
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=700', 'sallyport-test', disk]);
  try {
    expect((await signIn(disk, at.url)).code).toBe(0);
    const before = readFileSync(join(disk, 'config.json'), 'utf8');
    const fill = ['if=/dev/zero', `of=${join(disk, 'fill')}`, 'bs=4k'];
    expect(() => execFileSync('dd', fill, { stdio: 'ignore' })).toThrow(/dd/);
    const { code, err } = await signIn(disk, at.url, '--profile', 'second');
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(ONE_SENTENCE) });
    expect(err).toContain('the disk is full. Free some space');
    expect(readFileSync(join(disk, 'config.json'), 'utf8')).toBe(before);
    expect(readdirSync(disk).toSorted()).toEqual(['config.json', 'fill']);
  } finally {
    execFileSync('umount', [disk]);
  }
});

const HTTPS = /does not speak HTTPS; check the address and its port\.$/;
const AWAY = /Check the address, and that the gateway runs\.$/;
const router = () => createHttpServer((_request, response) => response.end('<h1>Router</h1>'));
const ssh = () => createServer((socket) => socket.on('error', () => undefined).end('SSH-2.0-OpenSSH_9.2\r\n\x1b[2J'));
const cutter = () => createServer((socket) => socket.destroy());

const others: [what: string, scheme: string, open: () => Server, sentence: RegExp][] = [
  ['speaks plain HTTP at an https address', 'https', router, HTTPS],
  ['speaks something else than HTTP', 'http', ssh, /does not speak HTTP; check the address and its port/],
  ['speaks something else than TLS', 'https', ssh, HTTPS],
  ['hangs up', 'https', cutter, AWAY],
  ['hangs up', 'http', cutter, AWAY],
];

it.each(others)(
  'what answers %s (%s): 6, and neither password nor token was said',
  async (_, scheme, open, sentence) => {
    const heard: Buffer[] = [];
    const other = open().on('connection', (socket: Socket) => socket.on('data', (chunk: Buffer) => heard.push(chunk)));
    const url = `${scheme}://${await placeOf(other)}`;
    const directory = newDirectory();
    try {
      const ended = await signIn(directory, url);
      expect(ended).toMatchObject({ code: 6, out: '', err: expect.stringMatching(ONE_SENTENCE) });
      expect(ended.err.trim()).toMatch(sentence);
      expect(Buffer.concat(heard).toString('latin1')).not.toContain(TEST_ADMIN.password);
      expect(readdirSync(directory)).toEqual([]);
    } finally {
      other.close();
    }
  },
);

it('a server that takes the connection and says nothing is told of; Ctrl+C ends the wait with 130', async () => {
  const silent = createServer((socket) => void socket.on('error', () => undefined));
  const url = `https://${await placeOf(silent)}`;
  const directory = newDirectory();
  const pin = 'AB'.repeat(32);
  const waiting = startPiped(['login', '--operator', '--url', url, '--pin', pin], { SALLYPORT_CONFIG_DIR: directory });
  await waiting.until(/\n/);
  waiting.child.kill('SIGINT');
  expect(await waiting.ended).toEqual({ code: 130, out: '', err: `Waiting for ${url} to answer …\n` });
  expect(readdirSync(directory)).toEqual([]);
  silent.close();
});
