import { existsSync, readFileSync } from 'node:fs';
import { readIssuedPair } from '../certificates/certificateIssuer.ts';
import { commands } from '../start/commands.ts';
import { type Finding, fine, wrong } from './finding.ts';
import { issuedPairOf } from './issuedPairs.ts';
import { storedDomains } from './storedDomains.ts';

/** Whether the domains that are to have a certificate of an authority have one that has not ended. */
export async function checkCertificates(dataDirectory: string, now = new Date()): Promise<Finding[]> {
  const what = 'certificates';
  const stored = await storedDomains(dataDirectory);
  const names = stored.flatMap(({ domain, ssl }) => (ssl === 'certbot' ? [domain] : []));
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

function hasPair(file: string, domain: string, now: Date): boolean {
  const pair = existsSync(file) ? readIssuedPair(file, readFileSync(file, 'utf8'), domain) : null;
  return pair !== null && pair.notAfter > now;
}
