import type { SignInState } from '../world.ts';

/** What the administrator says about the identity provider; null: nothing. */
export type ProviderSettings<Secret> = {
  issuer: string | null;
  clientId: string | null;
  clientSecret: Secret | null;
};

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether visitors can be asked to sign in in front of a service; until they can, no domain may promise it. */
export function signInAvailability({ issuer, clientId, clientSecret }: ProviderSettings<object>): SignInState {
  const missing = [
    issuer === null && 'SALLYPORT_OIDC_ISSUER',
    clientId === null && 'SALLYPORT_OIDC_CLIENT_ID',
    clientSecret === null && 'SALLYPORT_OIDC_CLIENT_SECRET',
  ].filter((name) => name !== false);
  if (missing.length > 0) {
    const [last, ...others] = missing.toReversed();
    const names = others.length === 0 ? last : `${others.toReversed().join(', ')} and ${last}`;
    return {
      available: false,
      reason: `No identity provider is set up. Set ${names}, then start the gateway again.`,
    };
  }
  const { protocol, hostname } = new URL(issuer ?? '');
  if (protocol !== 'https:' && !LOOPBACK.has(hostname)) {
    const reason = 'SALLYPORT_OIDC_ISSUER must be an https address. Change it, then start the gateway again.';
    return { available: false, reason };
  }
  return { available: true };
}

/** Why they cannot; null: they can. */
export const signInProblem = (state: SignInState): string | null => (state.available ? null : state.reason);
