/** Who signed in, as the provider says. */
export type Visitor = { subject: string; email: string | null; emailVerified: boolean };

/** What a sign-in is checked against. */
export type FlowChecks = { state: string; nonce: string; verifier: string };

/** Where visitors sign in. */
export type Provider = {
  /**
   * The address to send a visitor to. `asAnother`: they shall be able to sign in as another user.
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
