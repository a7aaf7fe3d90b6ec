import * as z from 'zod/mini';
import { call } from './endpoint.ts';
import { described } from './entity.ts';
import { field } from './field.ts';

/** Wrong sign-ins from one address within `LOGIN_WINDOW_MS` before the next answers 429. */
export const LOGIN_ATTEMPTS_MAX = 5;
/** The window in which failed sign-ins are counted. */
export const LOGIN_WINDOW_MS = 600_000;

/** The public half of an ECDSA key on the curve P-256, as a JWK (RFC 7517) with these fields alone. */
export const proofKey = field.object({
  kty: described(field.oneOf(['EC']), 'The kind of key.'),
  crv: described(field.oneOf(['P-256']), 'The curve.'),
  x: described(field.coordinate, 'A coordinate of the point, base64url.'),
  y: described(field.coordinate, 'The other coordinate, base64url.'),
});
export type ProofKey = z.output<typeof proofKey>;

/**
 * What an administrator signs in with. With `publicKey`, the token works only with a proof that the caller has the key:
 * a header `DPoP` for each request (RFC 9449), next to `Authorization: Bearer`. Without, it is a plain bearer token.
 */
export const loginInput = field.object({
  username: described(field.requiredText(), "The administrator's name."),
  password: described(field.secretText, "The administrator's password."),
  publicKey: z.optional(described(proofKey, 'Makes a token that works only with proofs of its private half.')),
});
export type LoginInput = z.input<typeof loginInput>;

/**
 * A session: the bearer token and how long it lives. `expires_in` is in seconds; `expiresIn` says the same as text
 * (`"12h"`), for clients of Wiredoor. Read the lifetime with `sessionSeconds`, which understands both.
 */
export const session = z.object({
  token: described(z.string(), 'The bearer token, shown this once.'),
  expires_in: z.optional(described(z.number(), 'How long it lives, in seconds.')),
  expiresIn: z.optional(described(z.union([z.string(), z.number()]), 'The same as a text like `12h`.')),
});
export type Session = z.output<typeof session>;

const UNIT_SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** The lifetime of a session in seconds; null when the gateway does not say. */
export function sessionSeconds(value: Pick<Session, 'expires_in' | 'expiresIn'>): number | null {
  if (value.expires_in !== undefined) return value.expires_in;
  if (typeof value.expiresIn === 'number') return value.expiresIn;
  const match = /^(\d+)\s*([smhd])?$/.exec(value.expiresIn ?? '');
  return match ? Number(match[1]) * (UNIT_SECONDS[match[2] ?? 's'] ?? 1) : null;
}

/** Whom the token belongs to: the administrator, or a node (`id` is then the id of its access token). */
export const me = z.object({
  id: described(z.int(), 'Of a node: the id of its access token.'),
  type: described(z.enum(['admin', 'client']), '`client` is a node.'),
  name: z.optional(described(z.string(), "The administrator's name, or the token's.")),
  exp: z.optional(described(z.int(), 'When the token ends, in seconds since 1970.')),
});
export type Me = z.output<typeof me>;

/** The calls about sessions. */
export const sessionEndpoints = {
  login: call(
    'POST',
    '/api/auth/login',
    'Signs the administrator in. Five failed tries in ten minutes from one address answer 429. With `publicKey`, the token works only with a proof of its private half in the header `DPoP` (RFC 9449).',
    { access: 'open', body: loginInput, reply: session },
  ),
  logout: call('POST', '/api/auth/logout', 'Ends the session: its token is refused from now on.', {
    reply: z.string(),
  }),
  me: call('GET', '/api/auth/me', 'Says whom the token belongs to.', { access: 'any', reply: me }),
} as const;
