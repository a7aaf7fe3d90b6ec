const UNSIGNED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** The codes of an error and of what lies under it. */
export function codesOf(error: unknown): string[] {
  const codes: string[] = [];
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth += 1) {
    if ('code' in at && typeof at.code === 'string') codes.push(at.code);
  }
  return codes;
}

/** Whether a certificate was refused because nobody whom this machine trusts has signed it. */
export const isUnsigned = (error: unknown): boolean => codesOf(error).some((code) => UNSIGNED.has(code));

/** Whether a certificate was refused that somebody may yet trust by its fingerprint: unsigned, or for another name. */
export const isUntrusted = (error: unknown): boolean =>
  isUnsigned(error) || codesOf(error).includes('ERR_TLS_CERT_ALTNAME_INVALID');
