import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Puts a pair into a directory as certbot keeps it: files in `archive`, and links to them in `live`.
 * @returns the SHA-256 of the certificate, as browsers show it
 */
export function putCertbotPair(directory: string, lineage: string, domain: string): string {
  const [archive, live] = ['archive', 'live'].map((each) => join(directory, each, lineage)) as [string, string];
  for (const each of [archive, live]) mkdirSync(each, { recursive: true });
  const [key, chain] = [join(archive, 'privkey1.pem'), join(archive, 'fullchain1.pem')];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key, '-out', chain];
  const names = ['-subj', '/', '-addext', `subjectAltName=DNS:${domain}`];
  execFileSync('openssl', ['req', '-x509', '-days', '80', ...curve, ...names], { stdio: 'ignore' });
  for (const name of ['privkey', 'fullchain']) {
    symlinkSync(join('..', '..', 'archive', lineage, `${name}1.pem`), join(live, `${name}.pem`));
  }
  return new X509Certificate(readFileSync(chain)).fingerprint256;
}
