import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A certificate for 127.0.0.1 with its key. */
export type SelfSigned = { key: string; cert: string; fingerprint: string };

/** Makes, in `folder`, a certificate that no one has signed but itself. */
export function selfSigned(folder: string, name = 'gateway'): SelfSigned {
  const [key = '', cert = ''] = ['key', 'pem'].map((ending) => join(folder, `${name}.${ending}`));
  const subject = ['-subj', '/CN=gateway', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
  const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  execFileSync('openssl', [...kind, '-keyout', key, '-out', cert, ...subject], { stdio: 'ignore' });
  const text = readFileSync(cert, 'utf8');
  return { key: readFileSync(key, 'utf8'), cert: text, fingerprint: new X509Certificate(text).fingerprint256 };
}
