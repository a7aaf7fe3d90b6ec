import type { CertificatePair, Certificates } from '../system/certificates.ts';

/** Certificates that were looked at lately; thousands of them cannot be read again for every change. */
export type CertificateShelf = {
  get(names: readonly string[]): Promise<CertificatePair>;
  /** Has every certificate looked at again, and made anew where that does not help. */
  forget(): void;
};

/** A certificate that is about to end is replaced a month before, so an hour is early enough to see it. */
const REMEMBER_MS = 3_600_000;

export function createCertificateShelf(certificates: Certificates, now: () => Date): CertificateShelf {
  const known = new Map<string, { pair: Promise<CertificatePair>; at: number }>();
  return {
    get(names) {
      const key = names.join(' ');
      const found = known.get(key);
      if (found !== undefined && now().getTime() - found.at < REMEMBER_MS) return found.pair;
      const pair = certificates.ensureSelfSigned(names);
      known.set(key, { pair, at: now().getTime() });
      pair.catch(() => known.delete(key));
      return pair;
    },
    forget: () => known.clear(),
  };
}
