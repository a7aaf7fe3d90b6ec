import { createHash } from 'node:crypto';
import { calculateJwkThumbprint, EmbeddedJWK, jwtVerify } from 'jose';
import { failure } from '../failure.ts';
import type { Clock } from '../../world.ts';

/** How far the clock of who made a proof may be from the gateway's, in seconds. */
const CLOCK_SECONDS = 60;
/** For so long a proof that was taken is remembered: longer than any proof is good for, whichever clock is ahead. */
const REMEMBERED_MS = (2 * CLOCK_SECONDS + 1) * 1000;
/** A proof is some 500 characters long. */
const PROOF_MAX_CHARS = 2000;
const JTI_MAX_CHARS = 128;

/** What a proof has to be for. */
type Proved = {
  method: string;
  /** As the caller knows it; the query does not count. */
  url: string;
  token: string;
  /** The key that the token was issued to (RFC 7638). */
  keyThumbprint: string;
};

/** Checks the proofs of possession that go with tokens that were issued to a key (DPoP, RFC 9449). */
export function createProofs(clock: Pick<Clock, 'now'>) {
  /** The proofs that were taken, and until when they are remembered; the oldest first. */
  const taken = new Map<string, number>();

  /** Whether this proof was not used before. Only proofs that are good otherwise come here. */
  function take(id: string): boolean {
    const now = clock.now().getTime();
    for (const [known, until] of taken) {
      if (until > now) break;
      taken.delete(known);
    }
    if (taken.has(id)) return false;
    taken.set(id, now + REMEMBERED_MS);
    return true;
  }

  return {
    /** @throws {Failure} 401 unless this is a proof for that very request, which has not been used yet */
    async require(proof: string | null, { method, url, token, keyThumbprint }: Proved): Promise<void> {
      if (proof === null || proof.length > PROOF_MAX_CHARS) throw failure.unproved();
      const claims = await claimsOf(proof, keyThumbprint);
      const isFor =
        claims !== null &&
        claims.htm === method &&
        placeOf(claims.htu) === placeOf(url) &&
        claims.ath === createHash('sha256').update(token).digest('base64url') &&
        Math.abs(claims.iat - clock.now().getTime() / 1000) <= CLOCK_SECONDS;
      if (!isFor || !take(`${keyThumbprint} ${claims.jti}`)) throw failure.unproved();
    },
  };
}

type Claims = { htm: unknown; htu: unknown; ath: unknown; iat: number; jti: string };

/** What a proof of that key says; null when it is none. */
async function claimsOf(proof: string, keyThumbprint: string): Promise<Claims | null> {
  try {
    // The time is compared with the gateway's clock, not with the machine's.
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
      algorithms: ['ES256'],
      typ: 'dpop+jwt',
    });
    const { jwk } = protectedHeader;
    if (jwk === undefined || (await calculateJwkThumbprint(jwk)) !== keyThumbprint) return null;
    const { htm, htu, ath, iat, jti } = payload as Record<string, unknown>;
    if (typeof iat !== 'number' || typeof jti !== 'string' || jti === '' || jti.length > JTI_MAX_CHARS) return null;
    return { htm, htu, ath, iat, jti };
  } catch {
    // Whatever is wrong with it, the answer is the same.
    return null;
  }
}

/** Origin and path of an address; null when it is none. */
function placeOf(url: unknown): string | null {
  if (typeof url !== 'string' || !URL.canParse(url)) return null;
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
