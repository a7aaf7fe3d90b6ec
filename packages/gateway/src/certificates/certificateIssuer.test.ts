import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { issuedPairText, readIssuedPair } from './certificateIssuer.ts';
import { ensureSelfSigned } from './selfSigned.ts';

const AUTHORITY = 'https://acme.example.test/directory';

/** A chain and its key, as an authority and openssl give them. */
async function issued(domain: string): Promise<[chain: string, key: string]> {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-issued-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const { certificate } = await ensureSelfSigned({ directory, names: [domain] });
  const [chain = '', key = ''] = readFileSync(certificate, 'utf8').split(/(?=-----BEGIN PRIVATE KEY)/);
  return [chain, key];
}

it('is the pair of its own domain and of no other, and only while it is whole', async () => {
  const [chain, key] = await issued('a.example.test');
  const [, foreignKey] = await issued('b.example.test');
  const read = (domain: string, ownKey = key) =>
    readIssuedPair('/pair.pem', issuedPairText(AUTHORITY, chain, ownKey), domain);
  expect(read('a.example.test')).toMatchObject({ certificate: '/pair.pem', authority: AUTHORITY });
  expect(read('b.example.test')).toBeNull();
  expect(read('a.example.test', foreignKey)).toBeNull();
  expect(read('a.example.test', '')).toBeNull();
});
