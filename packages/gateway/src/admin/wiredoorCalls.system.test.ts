import { mkdtempSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWiredoorServer, type WiredoorServer } from '../testing/wiredoorServer.ts';
import { Secret } from '../vault/secret.ts';
import { openWiredoorCalls, wiredoorAddress, type WiredoorLogin } from './wiredoorCalls.ts';

const PATH = '/api/nodes';
let base: string;
let server: WiredoorServer;
beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), 'sallyport-wiredoor-'));
  server = await openWiredoorServer(base, { [PATH]: [{ id: 1 }] });
});
afterEach(() => {
  server.close();
  rmSync(base, { recursive: true });
});

const pinned = () => wiredoorAddress(server.url, server.fingerprint);
const administrator = (): WiredoorLogin => ({ username: server.username, password: new Secret(server.password) });
const read = async (address = pinned(), login = administrator()) =>
  (await openWiredoorCalls(address, login)).list(PATH);

describe('the API of a Wiredoor server', () => {
  it('is read by name and password, or by a token', async () => {
    expect(await read()).toEqual([{ id: 1 }]);
    expect(await read(pinned(), new Secret(server.token))).toEqual([{ id: 1 }]);
    expect(server.asked).toEqual(['POST /api/auth/login', 'GET /api/nodes?limit=10000', 'GET /api/nodes?limit=10000']);
  });

  it('is sent nothing where its certificate is neither trusted nor pinned', async () => {
    const digits = server.fingerprint.replaceAll(':', '');
    await expect(read(wiredoorAddress(server.url, undefined))).rejects.toThrow(
      `is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT). If its SHA-256 on that server is ${digits}, name it with --pin`,
    );
    await expect(read(wiredoorAddress(server.url, 'ab'.repeat(32)))).rejects.toThrow(
      `not the pinned one, but ${digits}`,
    );
    expect(server.asked).toEqual([]);
  });

  it('refuses a wrong password or token, in words without it', async () => {
    await expect(read(pinned(), { username: 'x', password: new Secret('s3cret') })).rejects.toThrow(
      /^localhost:\d+ does not accept the name and password\.$/,
    );
    await expect(read(pinned(), new Secret('s3cret'))).rejects.toThrow(/does not accept the token\.$/);
    await expect(read(pinned(), new Secret('a\r\nx: y'))).rejects.toThrow('That is no token');
  });

  const html = (response: ServerResponse) => response.writeHead(200).end('<html>');
  it.each<[string, (response: ServerResponse) => void, RegExp]>([
    ['no JSON', html, /is no Wiredoor server/],
    ['another thing', (response) => void response.end('{"data":[1]}'), /is no Wiredoor server/],
    ['a part of a list', (response) => void response.end('{"data":[],"total":9}'), /is no Wiredoor server/],
    [
      'a way elsewhere, which is not taken',
      (response) => void response.writeHead(302, { location: 'https://127.0.0.1:1/' }).end(),
      /with the status 302/,
    ],
    ['an end in the middle', (response) => void response.write('[', () => response.destroy()), /cannot be asked/],
    [
      'too much',
      (response) => {
        const more = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(1 << 20, ' ')));
        };
        response.on('drain', more);
        more();
      },
      /its answer is too long/,
    ],
  ])('is no longer read when it answers with %s', async (_, reply, said) => {
    server.answer(PATH, reply);
    await expect(read()).rejects.toThrow(said);
  });

  it('is not waited for without end, also where it answers a little again and again', async () => {
    server.answer(PATH, (response) => {
      const timer = setInterval(() => response.write(' '), 20);
      response.once('close', () => clearInterval(timer));
    });
    await expect(read({ ...pinned(), limitMs: 500 })).rejects.toThrow('no whole answer within 0.5 seconds');
  });

  it.each(['http://localhost', 'https://me:secret@localhost', 'https://localhost/?token=x'])('is not at %s', (text) =>
    expect(() => wiredoorAddress(text, undefined)).toThrow(/^The address of a Wiredoor server is https/),
  );
});
