const UNSIGNED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** An error and what lies under it. */
function chainOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let at = error; at instanceof Error && chain.length < 8; at = at.cause) chain.push(at);
  return chain;
}

/** The codes of an error and of what lies under it. */
export const codesOf = (error: unknown): string[] =>
  chainOf(error).flatMap((each) => ('code' in each && typeof each.code === 'string' ? [each.code] : []));

/** Whether what answered is not HTTP. Node's `fetch` says it by a name alone, its older client by a code. */
export const isNotHttp = (error: unknown): boolean =>
  chainOf(error).some(({ name }) => name === 'HTTPParserError') ||
  codesOf(error).some((code) => code.startsWith('HPE_'));

/** Whether a certificate was refused because nobody whom this machine trusts has signed it. */
export const isUnsigned = (error: unknown): boolean => codesOf(error).some((code) => UNSIGNED.has(code));

/** Whether a certificate was refused that somebody may yet trust by its fingerprint: unsigned, or for another name. */
export const isUntrusted = (error: unknown): boolean =>
  isUnsigned(error) || codesOf(error).includes('ERR_TLS_CERT_ALTNAME_INVALID');
