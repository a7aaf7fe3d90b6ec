import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readIssuedPair } from '../certificates/certificateIssuer.ts';
import { DATABASE_FILE } from '../start/dataFiles.ts';
import { DatabaseError } from '../store/open.ts';
import { openStore, type Store } from '../store/store.ts';
import { commands } from './commands.ts';
import { type Finding, fine, wrong } from './finding.ts';
import { issuedPairOf } from './issuedPairs.ts';

/** Whether the domains that are to have a certificate of an authority have one that has not ended. */
export async function checkCertificates(dataDirectory: string, now = new Date()): Promise<Finding[]> {
  const what = 'certificates';
  const names = await wantedNames(join(dataDirectory, DATABASE_FILE));
  if (names.length === 0) return [];
  const lacking = names.filter((name) => !hasPair(issuedPairOf(dataDirectory, name), name, now));
  const domains = names.length === 1 ? '1 domain' : `${names.length} domains`;
  if (lacking.length === 0) return [fine(what, `${domains} with a certificate of the authority`)];
  const verb = lacking.length === 1 ? 'has' : 'have';
  return [
    wrong(
      what,
      `${lacking.length} of ${domains} ${verb} no certificate of the authority: ${lacking.join(', ')}.`,
      'The domain says why, under Domain Names in the console; so does the log',
      commands.log,
    ),
  ];
}

/** A database that cannot be read is found elsewhere, and one of an earlier version is not looked into. */
async function wantedNames(file: string): Promise<string[]> {
  if (!existsSync(file)) return [];
  let store: Store;
  try {
    store = openStore(file, () => new Date(), { mayMigrate: false });
  } catch (error) {
    if (error instanceof DatabaseError) return [];
    throw error;
  }
  try {
    return (await store.domains.all()).flatMap(({ domain, ssl }) => (ssl === 'certbot' ? [domain] : []));
  } finally {
    await store.close();
  }
}

function hasPair(file: string, domain: string, now: Date): boolean {
  const pair = existsSync(file) ? readIssuedPair(file, readFileSync(file, 'utf8'), domain) : null;
  return pair !== null && pair.notAfter > now;
}
