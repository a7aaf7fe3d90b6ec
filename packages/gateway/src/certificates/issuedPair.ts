import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { IssuedPair } from './certificateIssuer.ts';
import { Secret } from '../vault/secret.ts';

// What stands before the first certificate is nobody's business but ours: nginx reads only what is between the marks.
const HEADER = 'Authority: ';

/** A chain and its key as one file, which also says who issued it: replacing the pair is a single step. */
export const issuedPairText = (authority: string, chain: string, key: string): string =>
  `${HEADER}${authority}\n${chain.trim()}\n${key.trim()}\n`;

/** The pair in a file; null when it is damaged, or not for the domain. */
export function readIssuedPair(file: string, text: string, domain: string): IssuedPair | null {
  try {
    const certificate = new X509Certificate(text);
    const isPair = certificate.checkPrivateKey(createPrivateKey(text));
    if (!isPair || certificate.checkHost(domain) === undefined) return null;
    const [first = ''] = text.split('\n', 1);
    return {
      certificate: file,
      key: file,
      pem: new Secret(text),
      fingerprint256: certificate.fingerprint256,
      notBefore: new Date(certificate.validFrom),
      notAfter: new Date(certificate.validTo),
      authority: first.startsWith(HEADER) ? first.slice(HEADER.length) : '',
    };
  } catch {
    return null;
  }
}
