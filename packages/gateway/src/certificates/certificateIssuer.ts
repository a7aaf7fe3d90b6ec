import type { CertificatePair } from './selfSigned.ts';
import { createPrivateKey, X509Certificate } from 'node:crypto';

/** A certificate of an authority, with its chain and its key. */
export type IssuedPair = CertificatePair & {
  notBefore: Date;
  /** The directory address of the authority that issued it. */
  authority: string;
};

/** What can keep a certificate from being had. */
export type IssueFaultKind =
  /** The program that asks for certificates is not installed. */
  | 'missing'
  /** The authority finds no address of the name. */
  | 'dns'
  /** No one answers the authority at the name. */
  | 'unreachable'
  /** Someone else answers the authority at the name. */
  | 'elsewhere'
  /** The name's owner does not allow this authority. */
  | 'caa'
  /** The authority issues nothing for such a name. */
  | 'refused'
  /** The authority issues nothing more for now. */
  | 'limit'
  /** The authority does not answer. */
  | 'authority'
  /** No one on this machine vouches for the authority's own certificate. */
  | 'untrusted'
  /** The authority does not know this gateway's account any more; the next attempt makes another. */
  | 'account'
  /** The authority does not take the contact address. */
  | 'contact'
  | 'disk'
  /** The clock of this machine was not set yet, so no certificate of an authority can be checked. */
  | 'clock'
  | 'time'
  | 'other';

/** Why there is no certificate. */
export type IssueFault = {
  kind: IssueFaultKind;
  /** In the words of the one who found it, on one line, without control characters; may be empty. */
  detail: string;
};

/** A certificate could not be had. */
export class IssueError extends Error {
  override readonly name = 'IssueError';
  readonly fault: IssueFault;

  constructor(fault: IssueFault) {
    super(`${fault.kind}: ${fault.detail}`);
    this.fault = fault;
  }
}

/** What an administrator says of the authority. */
export type AuthoritySettings = {
  /** The directory address of the authority; null: Let's Encrypt. */
  authority: string | null;
  /** Where the authority writes to before a certificate ends; null: nowhere. */
  email: string | null;
};

/** Obtains certificates from an authority and keeps them. */
export type CertificateIssuer = {
  /** The directory address of the authority, as it counts now. */
  authority: string;
  /** Whether certificates can be asked for on this machine; if not, why, with the command that changes it. */
  availability(): { available: true } | { available: false; reason: string };
  /** The pair of a domain that is kept, however old and of whichever authority; null: none that can be used. */
  find(domain: string): Promise<IssuedPair | null>;
  /**
   * Has a new certificate issued, with a new key, and keeps it in the place of an earlier one, in a single step. Not
   * while another call of it runs. When `signal` is aborted, everything ends at once and nothing is changed.
   * @throws {IssueError} when it cannot be had; whatever was kept before still is
   */
  issue(domain: string, signal: AbortSignal): Promise<IssuedPair>;
  /** Removes the pairs of all other domains. */
  keepOnly(domains: readonly string[]): Promise<void>;
};

// What stands before the first certificate is no one's business but ours: nginx reads only what is between the marks.
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
      fingerprint256: certificate.fingerprint256,
      notBefore: new Date(certificate.validFrom),
      notAfter: new Date(certificate.validTo),
      authority: first.startsWith(HEADER) ? first.slice(HEADER.length) : '',
    };
  } catch {
    return null;
  }
}
