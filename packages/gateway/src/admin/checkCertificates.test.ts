import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { DATABASE_FILE } from '../start/dataFiles.ts';
import { openStore } from '../store/store.ts';
import { putCertbotPair } from '../testing/certbotDirectory.ts';
import { aDomain } from '../testing/storedRows.ts';
import { checkCertificates } from './checkCertificates.ts';
import { keepPair, readCertbotPair } from './issuedPairs.ts';

const DAY_MS = 86_400_000;
let data: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'sallyport-certificates-'));
  return () => rmSync(data, { recursive: true });
});

async function putDomain(domain: string, ssl: 'certbot' | 'self-signed'): Promise<void> {
  const store = openStore(join(data, DATABASE_FILE), () => new Date());
  await store.write((tx) => tx.domains.create({ ...aDomain, allowedEmails: null, domain, ssl }));
  await store.close();
}

async function putPair(domain: string): Promise<void> {
  putCertbotPair(join(data, 'letsencrypt'), domain, domain);
  const read = readCertbotPair(join(data, 'letsencrypt'), domain, domain);
  if (!('pair' in read)) throw new Error(read.why);
  await keepPair(data, domain, read.pair);
}

it('says nothing where no domain is to have a certificate of an authority', async () => {
  expect(await checkCertificates(data)).toEqual([]);
  await putDomain('own.example.test', 'self-signed');
  expect(await checkCertificates(data)).toEqual([]);
});

it('names the domains that have no certificate, or one that has ended', async () => {
  await putDomain('app.example.test', 'certbot');
  await putDomain('web.example.test', 'certbot');
  await putDomain('own.example.test', 'self-signed');
  await putPair('app.example.test');
  const said = async (now?: Date) => (await checkCertificates(data, now)).map(({ state, text }) => ({ state, text }));
  expect(await said()).toEqual([
    { state: 'failed', text: '1 of 2 domains has no certificate of the authority: web.example.test.' },
  ]);
  expect(await said(new Date(Date.now() + 81 * DAY_MS))).toEqual([
    {
      state: 'failed',
      text: '2 of 2 domains have no certificate of the authority: app.example.test, web.example.test.',
    },
  ]);
  await putPair('web.example.test');
  expect(await said()).toEqual([{ state: 'ok', text: '2 domains with a certificate of the authority' }]);
});
