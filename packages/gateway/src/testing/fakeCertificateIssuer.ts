import { createHash } from 'node:crypto';
import {
  type CertificateIssuer,
  IssueError,
  type IssuedPair,
  type IssueFault,
} from '../certificates/certificateIssuer.ts';
import { directoryName } from '../certificates/selfSigned.ts';

/** An authority that does what a test says. */
export type FakeCertificateIssuer = CertificateIssuer & {
  /** Why it issues nothing for a domain from now on; null: it does, as it does for all unless it is said. */
  refuse(domain: string, fault: IssueFault | null): void;
  /** Whether anyone who asks is kept waiting. */
  hold(waiting: boolean): void;
  setAvailability(availability: ReturnType<CertificateIssuer['availability']>): void;
  /** Another authority, as after a new start with another setting. */
  moveTo(authority: string): void;
  /** How often it was asked, by domain. */
  asked(domain: string): number;
  /** The domains whose pairs are kept. */
  kept(): string[];
};

const DAY_MS = 86_400_000;
const VALID_DAYS = 90;

/** Its certificates are valid for 90 days from the time that `now` says. */
export function createFakeCertificateIssuer(now: () => Date = () => new Date()): FakeCertificateIssuer {
  const pairs = new Map<string, IssuedPair>();
  const refusals = new Map<string, IssueFault>();
  const asked = new Map<string, number>();
  let availability: ReturnType<CertificateIssuer['availability']> = { available: true };
  let held: PromiseWithResolvers<void> | null = null;
  const issuer: FakeCertificateIssuer = {
    authority: 'https://authority.test/directory',
    availability: () => availability,
    find: (domain) => Promise.resolve(pairs.get(domain) ?? null),
    async issue(domain, signal) {
      if (!availability.available) throw new IssueError({ kind: 'missing', detail: '' });
      const count = (asked.get(domain) ?? 0) + 1;
      asked.set(domain, count);
      const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      await Promise.race([held?.promise, aborted]);
      signal.throwIfAborted();
      const refusal = refusals.get(domain);
      if (refusal !== undefined) throw new IssueError(refusal);
      const file = `/fake/secrets/issued/pairs/${directoryName(domain)}/pair.pem`;
      const digest = createHash('sha256').update(`${domain} ${count}`).digest('hex').toUpperCase();
      const pair: IssuedPair = {
        certificate: file,
        key: file,
        fingerprint256: digest.match(/../g)?.join(':') ?? '',
        notBefore: now(),
        notAfter: new Date(now().getTime() + VALID_DAYS * DAY_MS),
        authority: issuer.authority,
      };
      pairs.set(domain, pair);
      return pair;
    },
    keepOnly(domains) {
      for (const domain of pairs.keys()) if (!domains.includes(domain)) pairs.delete(domain);
      return Promise.resolve();
    },
    refuse(domain, fault) {
      if (fault === null) refusals.delete(domain);
      else refusals.set(domain, fault);
    },
    hold(waiting) {
      held?.resolve();
      held = waiting ? Promise.withResolvers() : null;
    },
    setAvailability: (next) => void (availability = next),
    moveTo: (authority) => void (issuer.authority = authority),
    asked: (domain) => asked.get(domain) ?? 0,
    kept: () => [...pairs.keys()],
  };
  return issuer;
}
