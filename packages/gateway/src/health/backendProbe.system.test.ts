import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { rsaPair } from '../testing/certificateAuthority.ts';
import { freePorts } from '../testing/freePorts.ts';
import { createBackendProbe, type ProbeTarget } from './backendProbe.ts';
import { createCertificates } from '../certificates/selfSigned.ts';

/** It waits for any backend that answers at all. */
const probe = createBackendProbe(20_000);
const hasty = createBackendProbe(2000);

const servers: { server: Server; sockets: Set<Socket> }[] = [];
let directory: string;
let pair: { key: Buffer; cert: Buffer };

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'sallyport-probe-'));
  const files = await createCertificates(directory).ensureSelfSigned(['backend.test']);
  pair = { key: readFileSync(files.key), cert: readFileSync(files.certificate) };
});
afterAll(() => rmSync(directory, { recursive: true }));
afterEach(async () => {
  for (const { server, sockets } of servers.splice(0)) {
    for (const socket of sockets) socket.destroy();
    await once(server.close(), 'close');
  }
});

async function listen(server: Server): Promise<{ port: number; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => undefined);
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  servers.push({ server, sockets });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { port: (server.address() as AddressInfo).port, sockets };
}

const tls = (options: TlsOptions = {}) => createTlsServer({ ...pair, ...options }, () => undefined);

/** The head of a record with it, and its version; a client that went on would wait for the rest. */
const SERVER_HELLO = Buffer.from('160303004a020000460303', 'hex');

const ask = (
  proto: ProbeTarget['proto'],
  port: number,
  rest: Partial<ProbeTarget> = {},
  by = probe,
): Promise<string | null> =>
  by(
    { proto, addresses: ['127.0.0.1'], sourceAddress: null, port, serverName: null, ...rest },
    new AbortController().signal,
  );

describe('a connection', () => {
  it('is enough, and nothing is sent over it', async () => {
    const heard = vi.fn<(chunk: Buffer) => void>();
    const { port, sockets } = await listen(createServer((socket) => void socket.on('data', heard)));
    expect(await ask('tcp', port)).toBeNull();
    expect(await ask('http', port)).toBeNull();
    await vi.waitFor(() => expect(sockets.size).toBe(0));
    expect(heard).not.toHaveBeenCalled();
  });

  it('comes from the address that is given', async () => {
    const { port, sockets } = await listen(createServer());
    const froms: unknown[] = [];
    servers.at(-1)?.server.on('connection', ({ remoteAddress }: Socket) => froms.push(remoteAddress));
    for (const proto of ['tcp', 'http'] as const) {
      expect(await ask(proto, port, { sourceAddress: '127.0.0.9' })).toBeNull();
    }
    await vi.waitFor(() => expect(sockets.size).toBe(0));
    expect(froms).toEqual(['127.0.0.9', '127.0.0.9']);
    const over = await listen(tls());
    servers.at(-1)?.server.on('connection', ({ remoteAddress }: Socket) => froms.push(remoteAddress));
    expect(await ask('https', over.port, { sourceAddress: '127.0.0.10' })).toBeNull();
    expect(froms.at(-1)).toBe('127.0.0.10');
  });

  it('is refused where nothing listens', async () => {
    const [port = 0] = await freePorts(1);
    expect(await ask('http', port)).toBe(
      `Nothing listens on 127.0.0.1:${port}. Start the service, or correct the port.`,
    );
    expect(await ask('https', port)).toContain('Nothing listens');
  });

  it('says nothing about a backend when the machine has not the address to ask from', async () => {
    const { port } = await listen(createServer());
    await expect(ask('tcp', port, { sourceAddress: '192.0.2.77' })).rejects.toMatchObject({ code: 'EADDRNOTAVAIL' });
  });

  it('to one of several addresses is enough', async () => {
    const { port } = await listen(createServer((socket) => void socket.resume()));
    expect(await ask('http', port, { addresses: ['127.0.0.2', '127.0.0.1'] })).toBeNull();
    expect(await ask('http', port, { addresses: ['127.0.0.2', '127.0.0.3'] })).toContain(`127.0.0.2:${port}`);
  });

  it('writes an IPv6 address so that its port can be told', async () => {
    const [port = 0] = await freePorts(1);
    const reason = await ask('http', port, { addresses: ['::1'] });
    expect(reason).toContain(`[::1]:${port}`);
  });
});

describe('a TLS handshake', () => {
  it('is completed whatever the certificate, and asks for the name of the service', async () => {
    const asked = vi.fn<(name: string) => void>();
    const server = tls({
      SNICallback: (name, done) => {
        asked(name);
        done(null);
      },
    });
    const { port, sockets } = await listen(server);
    expect(await ask('https', port, { serverName: 'app.example.test' })).toBeNull();
    expect(await ask('https', port)).toBeNull();
    expect(asked.mock.calls).toEqual([['app.example.test']]);
    await vi.waitFor(() => expect(sockets.size).toBe(0));
  });

  it('tells a backend that speaks plain HTTP', async () => {
    const { port } = await listen(createHttpServer((_, response) => response.end()));
    expect(await ask('https', port)).toBe(`127.0.0.1:${port} answers, but not with TLS. Choose http as its protocol.`);
  });

  it('does not wait for ever for a backend that takes the connection and says nothing', async () => {
    const { port, sockets } = await listen(createServer((socket) => void socket.resume()));
    expect(await ask('https', port, {}, hasty)).toBe(
      `127.0.0.1:${port} takes connections, but did not finish a TLS handshake within 2 seconds. If it speaks plain HTTP, choose http as its protocol.`,
    );
    await vi.waitFor(() => expect(sockets.size).toBe(0));
  });

  it('tells a backend that hangs up, and one that refuses', async () => {
    const rude = await listen(createServer((socket) => void socket.end()));
    expect(await ask('https', rude.port)).toContain('ends them during the TLS handshake');
    const picky = await listen(tls({ minVersion: 'TLSv1.3', ciphers: 'TLS_AES_128_CCM_SHA256' }));
    expect(await ask('https', picky.port)).toContain('refuses the TLS handshake (handshake failure)');
  });

  // What comes after its first words, a certificate above all, would cost the gateway as much as the backend likes.
  it('ends with the first words of the backend', async () => {
    const { port } = await listen(
      createServer((socket) => void socket.once('data', () => socket.write(SERVER_HELLO)).on('data', () => undefined)),
    );
    expect(await ask('https', port)).toBeNull();
  });

  it('goes on after a warning, as about a name that the backend does not know', async () => {
    const warned = Buffer.concat([Buffer.from('15030300020170', 'hex'), SERVER_HELLO]);
    const { port } = await listen(createServer((socket) => void socket.once('data', () => socket.write(warned))));
    expect(await ask('https', port)).toBeNull();
  });

  // Each byte that follows would have all of them read again.
  it('ends with a backend that does nothing but warn', async () => {
    const warnings = Buffer.from('15030300020170'.repeat(1000), 'hex');
    const { port } = await listen(createServer((socket) => void socket.once('data', () => socket.write(warnings))));
    expect(await ask('https', port)).toBe(`127.0.0.1:${port} answers, but not with TLS. Choose http as its protocol.`);
  });

  it('offers no cipher that nginx would not, so that neither reaches the backend', async () => {
    const { port } = await listen(
      tls({ ciphers: 'DHE-RSA-AES128-GCM-SHA256', dhparam: 'auto', maxVersion: 'TLSv1.2', ...rsaPair() }),
    );
    expect(await ask('https', port)).toContain('refuses the TLS handshake');
  });

  it.each([
    ['an old version', '16 0301 002a 02 000026 0301', 'offers no version of TLS from 1.2 on'],
    ['a refusal of its own', '15 0303 0002 02 7b', 'refuses the TLS handshake (alert 123)'],
    ['another message', '16 0303 0004 00 000000 0303', 'not with TLS'],
    ['a record cut short', '16 0303', 'ends them during the TLS handshake'],
  ])('tells %s', async (_, hex, reason) => {
    const { port } = await listen(
      createServer((socket) => socket.once('data', () => socket.end(Buffer.from(hex.replaceAll(' ', ''), 'hex')))),
    );
    expect(await ask('https', port)).toContain(reason);
  });

  it('says what the address that spoke did, rather than the one that is silent', async () => {
    const { port } = await listen(createHttpServer((_, response) => response.end()));
    expect(await ask('https', port, { addresses: ['127.0.0.2', '127.0.0.1'] })).toContain('not with TLS');
  });
});

it('is given up at once, with its connections', async () => {
  const { port, sockets } = await listen(createServer((socket) => void socket.resume()));
  const giving = new AbortController();
  const target = { proto: 'https', addresses: ['127.0.0.1'], sourceAddress: null, port, serverName: null } as const;
  const asking = probe(target, giving.signal);
  await vi.waitFor(() => expect(sockets.size).toBe(1));
  giving.abort();
  await expect(asking).rejects.toThrow('aborted');
  await vi.waitFor(() => expect(sockets.size).toBe(0));
});
