import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { certificatePin, keyPin, pinOf, pinnedFetch, shownCertificate } from './certificatePin.ts';
import { selfSigned } from './testing/selfSigned.ts';
import { listen } from './testing/serve.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-pin-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Another certificate of the same key, for another name. */
function renewed({ key }: { key: string }): { key: string; cert: string } {
  const cert = join(folder, 'renewed.pem');
  const subject = ['-subj', '/CN=gateway.example.test', '-days', '2'];
  execFileSync('openssl', ['req', '-x509', '-key', join(folder, 'gateway.key'), '-out', cert, ...subject]);
  return { key, cert: readFileSync(cert, 'utf8') };
}

async function serve(tls: { key: string; cert: string }) {
  const server = await listen((_, response) => response.end('here'), tls);
  onTestFinished(server.close);
  return server.url;
}

const ask = async (url: string, pin: string, renewPin?: (pin: string) => void) =>
  (await pinnedFetch(pin, renewPin)(new Request(url))).text();

it('goes on trusting the gateway when its certificate changes and its key does not', async () => {
  const first = selfSigned(folder);
  const pin = keyPin(new X509Certificate(first.cert));
  expect(await ask(await serve(first), pin)).toBe('here');
  expect(await ask(await serve(renewed(first)), pin)).toBe('here');
  const other = selfSigned(folder, 'other');
  await expect(ask(await serve(other), pin)).rejects.toThrow('not the pinned one');
});

it('replaces the pin of a certificate by that of its key at the next contact', async () => {
  const first = selfSigned(folder);
  const certificate = new X509Certificate(first.cert);
  const kept: string[] = [];
  const url = await serve(first);
  expect(await ask(url, certificatePin(certificate), (pin) => kept.push(pin))).toBe('here');
  expect(kept).toEqual([keyPin(certificate)]);
  await ask(url, keyPin(certificate), (pin) => kept.push(pin));
  expect(kept).toHaveLength(1);
});

it('does not wait for ever for a server that shows no certificate', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const never = new AbortController().signal;
  await expect(shownCertificate(`https://127.0.0.1:${port}`, never, 100)).rejects.toThrow('No answer within 0.1 s');
});

it('keeps the pin of a certificate that is not the one that is shown', async () => {
  const kept: string[] = [];
  const first = selfSigned(folder);
  const pin = certificatePin(new X509Certificate(first.cert));
  await expect(ask(await serve(renewed(first)), pin, (next) => kept.push(next))).rejects.toThrow('not the pinned one');
  expect(kept).toEqual([]);
});

describe('a pin', () => {
  const digits = 'AB'.repeat(32);

  it.each([
    digits,
    digits.toLowerCase(),
    'AB:'.repeat(31) + 'AB',
    `SHA256:${digits}`,
    ` sha-256=${digits}\n`,
    `SHA-256 ${digits}`,
    `SHA-256 ${digits}`,
  ])('reads %j', (typed) => {
    expect(pinOf(typed)).toBe(digits);
  });

  it.each(['', 'AB', `${digits}AB`, 'XY'.repeat(32)])('refuses %j', (typed) => {
    expect(() => pinOf(typed)).toThrow('--pin takes the SHA-256');
  });
});
