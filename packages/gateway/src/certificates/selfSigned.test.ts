import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type CertificatePair,
  createCertificates,
  createCertificateShelf,
  directoryName,
  ensureSelfSigned,
} from './selfSigned.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sallyport-certificates-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const ensure = (...names: string[]) => ensureSelfSigned({ directory, names });

describe('ensureSelfSigned', () => {
  it('makes a certificate that a browser can match to the names, with its key', async () => {
    const pair = await ensure('app.example.test', '*.example.test', '127.0.0.1', '2001:DB8::1');
    const pem = readFileSync(pair.certificate);
    const certificate = new X509Certificate(pem);
    for (const host of ['app.example.test', 'other.example.test']) expect(certificate.checkHost(host)).toBeDefined();
    expect(certificate.checkHost('a.b.example.test')).toBeUndefined();
    for (const address of ['127.0.0.1', '2001:db8::1']) expect(certificate.checkIP(address)).toBeDefined();
    expect(certificate.checkPrivateKey(createPrivateKey(readFileSync(pair.key)))).toBe(true);
    expect(certificate.publicKey.asymmetricKeyDetails?.namedCurve).toBe('prime256v1');
    expect(certificate.ca).toBe(false);
    expect(pair.fingerprint256).toBe(certificate.fingerprint256);
    const days = (Date.parse(certificate.validTo) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(820);
    expect(days).toBeLessThanOrEqual(825);
    expect(statSync(pair.key).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(pair.key))).toEqual(['pair.pem']);
  });

  it('keeps a good pair, whatever the spelling of its names', async () => {
    const pair = await ensure('app.example.test', '2001:db8:0:0:0:0:0:1');
    expect(await ensure('APP.example.test', '2001:db8::1')).toEqual(pair);
  });

  it('gives every certificate a serial number of its own', async () => {
    const serials = [await ensure('a.test'), await ensure('b.test')].map(
      ({ certificate }) => new X509Certificate(readFileSync(certificate)).serialNumber,
    );
    expect(new Set(serials).size).toBe(2);
  });

  it('makes a new one when a name comes or goes', async () => {
    const one = await ensure('app.example.test');
    const two = await ensure('app.example.test', 'www.example.test');
    expect(two.fingerprint256).not.toBe(one.fingerprint256);
    expect((await ensure('app.example.test')).fingerprint256).not.toBe(two.fingerprint256);
  });

  it.each(['', 'garbage', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'])(
    'replaces a damaged file (%j)',
    async (damage) => {
      const { certificate } = await ensure('app.example.test');
      writeFileSync(certificate, damage);
      const healed = await ensure('app.example.test');
      expect(new X509Certificate(readFileSync(certificate)).fingerprint256).toBe(healed.fingerprint256);
    },
  );

  it('replaces a pair whose key is another one’s', async () => {
    const [one, other] = [await ensure('a.test'), await ensure('b.test')];
    const key = /-----BEGIN PRIVATE KEY-----[^]*/;
    const foreign = key.exec(readFileSync(other.key, 'utf8'))?.[0] ?? '';
    writeFileSync(one.certificate, readFileSync(one.certificate, 'utf8').replace(key, foreign));
    expect((await ensure('a.test')).fingerprint256).not.toBe(one.fingerprint256);
  });

  const publicKeyOf = ({ certificate }: CertificatePair) =>
    createPublicKey(readFileSync(certificate)).export({ type: 'spki', format: 'der' }).toString('hex');
  const own = (name: string) => ensure(name, 'localhost', '127.0.0.1', '::1');

  it('keeps the key of the gateway’s own certificate when the gateway gets another name, and back', async () => {
    const first = await own('debian');
    const key = publicKeyOf(first);
    const second = await own('gateway.example.test');
    expect(second.fingerprint256).not.toBe(first.fingerprint256);
    expect(publicKeyOf(second)).toBe(key);
    // The certificates of names that are not served any more are removed.
    await createCertificates(directory).keepOnly(['gateway.example.test']);
    expect(publicKeyOf(await own('debian'))).toBe(key);
  });

  it('keeps the newest of its keys where there are several', async () => {
    const newest = await own('debian');
    const former = join(directory, 'former');
    mkdirSync(former);
    const openssl = (...words: string[]) => execFileSync('openssl', words, { cwd: former, stdio: 'pipe' });
    const settings = ['database = index', 'new_certs_dir = .', 'rand_serial = yes', 'default_md = sha256'];
    const section = [...settings, 'policy = subject', 'copy_extensions = copy'].join('\n');
    writeFileSync(join(former, 'ca.cnf'), `[old]\n${section}\n[subject]\ncommonName = supplied\n`);
    writeFileSync(join(former, 'index'), '');
    const names = ['-subj', '/CN=former', '-addext', 'subjectAltName = DNS:former,DNS:localhost,IP:127.0.0.1'];
    openssl('req', '-new', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'key.pem', '-out', 'request.pem', ...names);
    const since = ['-startdate', '20200101000000Z', '-days', '9000', '-notext', '-out', 'pair.pem'];
    const files = ['-config', 'ca.cnf', '-name', 'old', '-keyfile', 'key.pem', '-in', 'request.pem'];
    openssl('ca', '-batch', '-selfsign', ...files, ...since);
    appendFileSync(join(former, 'pair.pem'), readFileSync(join(former, 'key.pem')));
    expect(publicKeyOf(await own('gateway.example.test'))).toBe(publicKeyOf(newest));
  });

  it('gives a domain no key of the gateway’s own certificate, also when it takes over its name', async () => {
    const mine = publicKeyOf(await own('debian'));
    const domain = await ensure('app.example.test');
    const former = await ensure('debian');
    for (const pair of [domain, former]) expect(publicKeyOf(pair)).not.toBe(mine);
  });

  it('renews one that ends within a month, and keeps its key', async () => {
    const pair = await ensure('a.test');
    const before = publicKeyOf(pair);
    const key = join(directory, 'own.key');
    writeFileSync(key, /-----BEGIN PRIVATE KEY-----[^]*/.exec(readFileSync(pair.certificate, 'utf8'))?.[0] ?? '');
    const request = ['req', '-x509', '-key', key, '-days', '29', '-subj', '/CN=a.test'];
    const short = execFileSync('openssl', [...request, '-addext', 'subjectAltName=DNS:a.test'], { encoding: 'utf8' });
    writeFileSync(pair.certificate, short + readFileSync(key, 'utf8'));
    const renewed = await ensure('a.test');
    expect(renewed.fingerprint256).not.toBe(new X509Certificate(short).fingerprint256);
    expect(publicKeyOf(renewed)).toBe(before);
  });

  it.each(['', 'a b', 'a,IP:10.0.0.1', 'a\n[x]', '../up', '*.*.test', '-', '$(id)', `${'a'.repeat(64)}.test`])(
    'refuses %j as a name',
    async (name) => {
      await expect(ensure(name)).rejects.toThrow(TypeError);
      await expect(ensure('good.test', name)).rejects.toThrow(TypeError);
      expect(readdirSync(directory)).toEqual([]);
    },
  );

  it('makes one pair for those who ask at the same time', async () => {
    const shelf = createCertificateShelf(createCertificates(directory), () => new Date());
    const pairs = await Promise.all([1, 2, 3].map(() => shelf.get(['a.test'])));
    expect(new Set(pairs.map(({ fingerprint256 }) => fingerprint256)).size).toBe(1);
  });
});

it('keeps the pairs of these names alone, whatever their spelling', async () => {
  const certificates = createCertificates(directory);
  for (const name of ['a.test', 'b.test', '::1', '*.c.test']) await certificates.ensureSelfSigned([name]);
  writeFileSync(join(directory, 'old.pem'), 'left by hand');
  await certificates.keepOnly(['A.test', '0:0:0:0:0:0:0:1', '*.c.test', 'never.made.test', 'not a name; at all']);
  expect(readdirSync(directory).toSorted()).toEqual([directoryName('::1'), '_wildcard.c.test', 'a.test'].toSorted());
  await certificates.keepOnly([]);
  expect(readdirSync(directory)).toEqual([]);
});

describe('directoryName', () => {
  it('is readable for a domain and cannot lead anywhere else', () => {
    expect(directoryName('App.example.test')).toBe('app.example.test');
    expect(directoryName('*.example.test')).toBe('_wildcard.example.test');
    for (const name of ['..', '.', '', '../a', 'a/b', 'a..b', '.hidden', '::1', '\0', 'x'.repeat(300)]) {
      expect(directoryName(name)).toMatch(/^=[\da-f]{32}$/);
    }
  });
});
