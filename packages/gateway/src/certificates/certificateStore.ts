import type { CertificatePair, Certificates } from './selfSigned.ts';

/** Certificates that were looked at lately; thousands of them cannot be read again for every change. */
export type CertificateShelf = {
  get(names: readonly string[]): Promise<CertificatePair>;
  /** Has every certificate looked at again, and made again where that does not help. */
  forget(): void;
  /**
   * Removes the certificates and keys of all other names, also those that an earlier gateway left. Only when nginx serves
   * none of them any more, and while nobody asks for one.
   */
  keepOnly(names: readonly string[]): Promise<void>;
};

/** A certificate that is about to end is replaced a month before, so an hour is early enough to see it. */
const REMEMBER_MS = 3_600_000;

export function createCertificateShelf(certificates: Certificates, now: () => Date): CertificateShelf {
  const known = new Map<string, { pair: Promise<CertificatePair>; at: number }>();
  let tidied = false;
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
    async keepOnly(names) {
      const kept = new Set(names);
      const gone = [...known.keys()].filter((key) => !kept.has(key.split(' ')[0] ?? ''));
      if (tidied && gone.length === 0) return;
      for (const key of gone) known.delete(key);
      await certificates.keepOnly(names);
      tidied = true;
    },
  };
}
