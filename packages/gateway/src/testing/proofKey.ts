import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';

/** The parts of a proof that a test may want to be wrong. */
type Changes = { header?: object; claims?: object };

/** A key as a browser has it, and the proofs that it makes (RFC 9449). Written out here, so that it checks the library. */
export function createProofKey(now: () => Date) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { kty, crv, x, y } = publicKey.export({ format: 'jwk' });
  const jwk = { kty, crv, x, y };
  return {
    /** What is given at sign-in. */
    publicKey: jwk,
    /** The `DPoP` header of one request. */
    proof(method: string, url: string, token: string, { header, claims }: Changes = {}): string {
      const parts = [
        { typ: 'dpop+jwt', alg: 'ES256', jwk, ...header },
        {
          jti: randomUUID(),
          htm: method,
          htu: url,
          iat: Math.floor(now().getTime() / 1000),
          ath: createHash('sha256').update(token).digest('base64url'),
          ...claims,
        },
      ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
      const signature = sign('sha256', Buffer.from(parts.join('.')), { key: privateKey, dsaEncoding: 'ieee-p1363' });
      return [...parts, signature.toString('base64url')].join('.');
    },
  };
}
