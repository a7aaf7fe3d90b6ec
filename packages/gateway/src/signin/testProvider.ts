import { boundedGet, NoAnswerError, quoted, readObject } from '../machine/boundedGet.ts';
import type { TestResult } from '../world.ts';
import { type ProviderSettings, signInAvailability } from './provider.ts';

const WELL_KNOWN = '.well-known/openid-configuration';
/** What a sign-in by code asks for in turn. */
const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'];

const broken = (text: string): TestResult => ({ works: false, text });

/** Asks the configured identity provider for its discovery document, and says what of it a sign-in would fail at. */
export async function testProvider(settings: ProviderSettings<object>): Promise<TestResult> {
  const state = signInAvailability(settings);
  if (!state.available || settings.issuer === null) return broken(state.available ? '' : state.reason);
  const issuer = new URL(settings.issuer);
  const address = discoveryAddress(issuer);
  try {
    const { status, location, text } = await boundedGet(address);
    if (status >= 300 && status < 400) {
      return broken(
        `${address.href} leads on to ${quoted(location)}. Set the issuer to what the provider calls itself, without a redirect.`,
      );
    }
    if (status !== 200) {
      return broken(
        `${address.href} answers ${status}. The issuer is what /${WELL_KNOWN} of the provider stands below.`,
      );
    }
    return judge(readObject(text), issuer, address);
  } catch (error) {
    if (error instanceof NoAnswerError) return broken(error.message);
    throw error;
  }
}

/** As the library that signs visitors in asks for it. */
function discoveryAddress(issuer: URL): URL {
  const address = new URL(issuer);
  if (!address.href.includes('/.well-known/')) {
    address.pathname = `${address.pathname}/${WELL_KNOWN}`.replaceAll(/\/{2,}/g, '/');
  }
  return address;
}

function judge(document: Record<string, unknown> | null, issuer: URL, address: URL): TestResult {
  if (document === null) return broken(`${address.href} answers something else than a discovery document.`);
  const named = document['issuer'];
  if (typeof named !== 'string' || !URL.canParse(named) || new URL(named).href !== issuer.href) {
    return broken(
      `The provider calls itself ${quoted(named)}, and the issuer that is set is ${issuer.href}. Both must be the same.`,
    );
  }
  const missing = ENDPOINTS.filter((name) => !isEndpoint(document[name], issuer));
  if (missing.length > 0) {
    return broken(`The discovery document of the provider has no usable ${missing.join(', ')}.`);
  }
  return {
    works: true,
    text: `${issuer.host} answers and describes itself as it should. Client ID and secret are tried when a visitor signs in.`,
  };
}

/** A provider over plain HTTP is on loopback, and so may its endpoints be. */
const isEndpoint = (value: unknown, issuer: URL): boolean =>
  typeof value === 'string' && URL.canParse(value) && ['https:', issuer.protocol].includes(new URL(value).protocol);
