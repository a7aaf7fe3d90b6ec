import { isSecureUrl } from '@sallyport/sdk/contract';

/** Who signed in, as the provider says. */
export type Visitor = { subject: string; email: string | null; emailVerified: boolean };

/** What a sign-in is checked against. */
export type FlowChecks = { state: string; nonce: string; verifier: string };

/** Where visitors sign in. */
export type Provider = {
  /**
   * The address to send a visitor to. `asAnother`: they can sign in as another user.
   * @throws {ProviderError}
   */
  signInUrl(flow: FlowChecks & { redirectUri: string; asAnother: boolean }): Promise<string>;
  /** Whom an answer at the redirect URI names. @throws {ProviderError} */
  identify(callback: URL, checks: FlowChecks): Promise<Visitor>;
};

/** The provider does not answer, refused the visitor, gave this answer before, or what it said is not to be trusted. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly kind: 'unreachable' | 'refused' | 'spent' | 'invalid';

  constructor(kind: ProviderError['kind'], cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.kind = kind;
  }
}

/** What the administrator says about the identity provider; null: nothing. */
export type ProviderSettings<Secret> = {
  issuer: string | null;
  clientId: string | null;
  clientSecret: Secret | null;
};

/** How many settings make a provider; where none of them is made, no one wants it. */
const SETTINGS = 3;

/** Whether visitors can be asked to sign in; if not, why, and what to do. `chosen`: no one has set any of it up. */
export type SignInState = { available: true } | { available: false; reason: string; chosen?: true };

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
    const none = missing.length === SETTINGS;
    const how = none ? 'Enter one under Settings in the console, or set' : 'Set';
    return {
      available: false,
      reason: `No identity provider is set up. ${how} ${names}, then start the gateway again.`,
      ...(none && { chosen: true as const }),
    };
  }
  if (!isSecureUrl(issuer ?? '')) {
    const reason = 'SALLYPORT_OIDC_ISSUER must be an https address. Change it, then start the gateway again.';
    return { available: false, reason };
  }
  return { available: true };
}

/** Why they cannot; null: they can. */
export const signInProblem = (state: SignInState): string | null => (state.available ? null : state.reason);
