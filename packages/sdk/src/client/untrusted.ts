import { ApiError } from './apiError.ts';

/** What Node calls a certificate that it does not accept, and what can be done about it. */
const REASONS: Record<string, string> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another name; use one of its names in `baseUrl`',
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: "it is not valid yet; is this machine's clock right?",
};
const UNKNOWN_SIGNER = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_UNTRUSTED',
];
const EXTRA_CERTIFICATE =
  "no authority that is known here has signed it. If it is the gateway's own, start Node with NODE_EXTRA_CA_CERTS=FILE, its PEM file";

/** The error that stands for a failed connection whose reason is the certificate; null: it is another. Browsers do not say. */
export function untrusted(origin: string, error: unknown): ApiError | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause ? String(cause.code) : '';
    const reason = UNKNOWN_SIGNER.includes(code) ? EXTRA_CERTIFICATE : REASONS[code];
    if (reason !== undefined) {
      return new ApiError('untrusted', `The certificate of ${origin} is not trusted: ${reason}`, { cause: error });
    }
  }
  return null;
}
