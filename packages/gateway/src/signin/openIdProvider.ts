import * as client from 'openid-client';
import { type Provider, ProviderError, type Visitor } from './provider.ts';

/** nginx waits for the gateway's page no longer than 4.5 seconds, in which the provider may be asked several times. */
const PROVIDER_MS = 4000;
/** Providers move their endpoints rarely, but without telling. */
const DISCOVERY_MS = 60 * 60 * 1000;

/** A provider of OpenID Connect. It is asked about itself when the first visitor comes, and again when it was silent. */
export function createOpenIdProvider(
  settings: { issuer: string; clientId: string; clientSecret: { reveal(): string } },
  now: () => Date,
): Provider {
  const issuer = new URL(settings.issuer);
  const secret = settings.clientSecret.reveal();
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  const authenticate: client.ClientAuth = (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
  let known: { configuration: Promise<client.Configuration>; until: number } | null = null;

  const discovered = (): Promise<client.Configuration> => {
    if (known !== null && known.until > now().getTime()) return known.configuration;
    const asked = client.discovery(issuer, settings.clientId, {}, authenticate, {
      timeout: PROVIDER_MS / 1000,
      // Only on loopback: `signInAvailability` takes no other.
      ...(issuer.protocol === 'http:' && { execute: [client.allowInsecureRequests] }),
    });
    const configuration = asked.catch((error: unknown) => {
      throw new ProviderError('unreachable', error);
    });
    const mine = { configuration, until: now().getTime() + DISCOVERY_MS };
    known = mine;
    configuration.catch(() => {
      if (known === mine) known = null;
    });
    return configuration;
  };

  return {
    async signInUrl({ redirectUri, state, nonce, verifier, asAnother }) {
      const configuration = await inTime(discovered());
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: 'openid email',
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(asAnother && { prompt: 'login' }),
      });
      return url.href;
    },
    identify: (callback, request) => inTime(identify(callback, request)),
  };

  async function identify(
    callback: URL,
    { state, nonce, verifier }: Parameters<Provider['identify']>[1],
  ): Promise<Visitor> {
    const configuration = await discovered();
    try {
      const checks = {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      };
      const tokens = await client.authorizationCodeGrant(configuration, callback, checks);
      const claims = tokens.claims();
      if (claims === undefined) throw new Error('the provider sent no identity');
      // Many providers tell the e-mail only when they are asked for it.
      const said =
        claims['email'] === undefined
          ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
          : claims;
      const verified = said['email_verified'] as unknown;
      return {
        subject: claims.sub,
        email: typeof said['email'] === 'string' ? said['email'] : null,
        // Some say it as a word.
        emailVerified: verified === true || verified === 'true',
      };
    } catch (error) {
      throw new ProviderError(kindOf(error), error);
    }
  }
}

/** @throws {ProviderError} when it takes so long that nginx would not wait for it */
async function inTime<T>(work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new ProviderError('unreachable', new Error(`no answer within ${PROVIDER_MS} ms`)));
  }, PROVIDER_MS);
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}

function kindOf(error: unknown): ProviderError['kind'] {
  if (error instanceof client.AuthorizationResponseError) return 'refused';
  // A page that was loaded again, or an answer that was made up.
  if (error instanceof client.ResponseBodyError && error.error === 'invalid_grant') return 'spent';
  // `fetch` fails with a TypeError, a timeout with a DOMException.
  const cause = error instanceof client.ClientError ? error.cause : error;
  const isNetwork = cause instanceof TypeError || (cause instanceof DOMException && cause.name === 'TimeoutError');
  return isNetwork ? 'unreachable' : 'invalid';
}
