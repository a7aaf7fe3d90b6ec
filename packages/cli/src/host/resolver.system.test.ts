import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { openResolver } from './resolver.ts';

// All of 127.0.0.0/8 is this machine.
const HOST = '127.88.0.2';
const GATEWAY = '127.88.0.1';
const known = new Map([['web', ['172.30.77.5', '172.30.77.5', '172.30.77.6']]]);
let port: number;

beforeEach(async () => {
  const probe = createSocket('udp4').bind(0, HOST);
  await once(probe, 'listening');
  ({ port } = probe.address());
  await new Promise<void>((done) => void probe.close(done));
  const notFound = (name: string) =>
    Object.assign(new Error(name), { code: name === 'slow' ? 'EAI_AGAIN' : 'ENOTFOUND' });
  const resolver = await openResolver(
    { address: HOST, gateway: GATEWAY },
    (name) => (known.has(name) ? Promise.resolve(known.get(name) ?? []) : Promise.reject(notFound(name))),
    port,
  );
  onTestFinished(() => resolver.close());
});

const asFrom = (address: string) => {
  const resolver = new Resolver({ timeout: 300, tries: 1 });
  resolver.setServers([`${HOST}:${port}`]);
  resolver.setLocalAddress(address);
  return resolver;
};

it('answers the gateway with what the host finds, each address once', async () => {
  const gateway = asFrom(GATEWAY);
  expect(await gateway.resolve4('web')).toEqual(['172.30.77.5', '172.30.77.6']);
  await expect(gateway.resolve6('web')).rejects.toMatchObject({ code: 'ENODATA' });
  await expect(gateway.resolve4('other')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  await expect(gateway.resolve4('slow')).rejects.toMatchObject({ code: 'ESERVFAIL' });
  await expect(gateway.resolveTxt('web')).rejects.toMatchObject({ code: 'ENOTIMP' });
});

it('reads no records that are only counted', async () => {
  const forger = createSocket('udp4').bind(0, GATEWAY);
  await once(forger, 'listening');
  onTestFinished(() => void forger.close());
  // A TXT record whose text goes beyond the end, read again for each that is counted.
  const message = Buffer.alloc(512);
  message.write('0b0701000000ffffffffffff000010000100000001ffff', 'hex');
  for (const at of [43, 299]) message[at] = 255;
  for (let sent = 0; sent < 20; sent += 1) forger.send(message, port, HOST);
  expect(await asFrom(GATEWAY).resolve4('web')).toHaveLength(2);
});

it('answers no one else, and goes on after what is no question', async () => {
  await expect(asFrom('127.88.0.3').resolve4('web')).rejects.toMatchObject({ code: 'ETIMEOUT' });
  const stranger = createSocket('udp4').bind(0, GATEWAY);
  await once(stranger, 'listening');
  onTestFinished(() => void stranger.close());
  const bad = ['', 'x', '\0'.repeat(12), `\0\x01\x01\0\0\x01\0\0\0\0\0\0${'\xc0\x0c'.repeat(100)}`, '\xff'.repeat(600)];
  for (const text of bad) stranger.send(Buffer.from(text, 'latin1'), port, HOST);
  // An answer would lead to another one, and so on.
  stranger.send(Buffer.from('\0\x01\x81\x80\0\x01\0\0\0\0\0\0\x03web\0\0\x01\0\x01', 'latin1'), port, HOST);
  expect(await asFrom(GATEWAY).resolve4('web')).toHaveLength(2);
});
