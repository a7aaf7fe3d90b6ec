import { readFileSync } from 'node:fs';
import { boundedGet, NoAnswerError, readObject } from '../machine/boundedGet.ts';
import type { TestResult } from '../world.ts';
import type { CertificateIssuer } from './certificateIssuer.ts';
import { authorityName } from './issueFaults.ts';

/** What a directory must have (RFC 8555, section 7.1.1) for a certificate to be asked for. */
const ENDPOINTS = ['newNonce', 'newAccount', 'newOrder'];
/** Whom certbot trusts on Debian, where nothing else is said. */
const SYSTEM_BUNDLE = '/etc/ssl/certs/ca-certificates.crt';

const broken = (text: string): TestResult => ({ works: false, text });

/** Asks the configured authority for its directory. Nothing is ordered, and no account is made. */
export async function testAuthority({
  authority,
  availability,
}: Pick<CertificateIssuer, 'authority' | 'availability'>): Promise<TestResult> {
  const state = availability();
  if (!state.available) return broken(state.reason);
  const name = authorityName(authority);
  try {
    const { status, text } = await boundedGet(new URL(authority), { ca: trusted() });
    if (status !== 200)
      return broken(`${name} answers ${status} at ${authority}. Check the directory of the authority.`);
    const directory = readObject(text);
    if (directory === null || ENDPOINTS.some((endpoint) => typeof directory[endpoint] !== 'string')) {
      return broken(`${authority} is no directory of a certificate authority. Check the directory of the authority.`);
    }
    return { works: true, text: `${name} answers. Whether it issues one for a name is found out with that name.` };
  } catch (error) {
    if (error instanceof NoAnswerError) return broken(`${error.message}${hint()}`);
    throw error;
  }
}

/** The authority is trusted as certbot trusts it. */
function trusted(): string | undefined {
  const file = process.env['REQUESTS_CA_BUNDLE'] ?? process.env['SSL_CERT_FILE'] ?? SYSTEM_BUNDLE;
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Then those whom Node trusts are as good a guess.
    return undefined;
  }
}

/** certbot may have another way. */
const hint = (): string =>
  (process.env['HTTPS_PROXY'] ?? process.env['https_proxy']) === undefined
    ? ''
    : ' It was asked without HTTPS_PROXY, through which certbot asks.';
