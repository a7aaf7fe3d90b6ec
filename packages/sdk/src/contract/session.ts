import * as z from 'zod/mini';
import { call } from './endpoint.ts';
import { described, idOf, optionalFact } from './entity.ts';
import { field } from './field.ts';
import { message } from './message.ts';
import { rights } from './rights.ts';

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

/** Whom the token belongs to: the administrator, a node, or a program that has an API token. */
export const me = z.object({
  id: described(z.int(), 'Of a node or a program: the id of its token.'),
  type: described(z.enum(['admin', 'client', 'api']), '`client` is a node, `api` a program with an API token.'),
  name: z.optional(described(z.string(), "The administrator's name, or the token's.")),
  exp: z.optional(described(z.int(), 'When the token ends, in seconds since 1970.')),
  scope: z.optional(described(z.array(z.enum(rights)), 'What an API token may do.')),
  nodes: z.optional(described(z.array(z.int()), 'The nodes that an API token is limited to; left out: none.')),
});
export type Me = z.output<typeof me>;

/** The fewest characters of an administrator's password. */
export const PASSWORD_MIN_CHARS = 8;
/** The most. */
export const PASSWORD_MAX_CHARS = 1024;

/** Another password for the administrator. The one that is used now shows that the session is not a stolen one. */
export const passwordInput = field.object({
  currentPassword: described(field.secretText, 'The password that is used now.'),
  newPassword: described(
    field.secretText.check(
      z.minLength(PASSWORD_MIN_CHARS, { error: message.minLength(PASSWORD_MIN_CHARS) }),
      z.maxLength(PASSWORD_MAX_CHARS, { error: message.maxLength(PASSWORD_MAX_CHARS) }),
    ),
    'The password from now on.',
  ),
});
export type PasswordInput = z.input<typeof passwordInput>;

/** A session that lasts. Nothing of its token is among it. */
export const openSession = z.object({
  id: described(z.int(), 'Number of the session, 1 and up.'),
  created_at: described(z.string(), 'When the administrator signed in, ISO 8601, UTC.'),
  lastUsedAt: described(optionalFact(z.string()), 'When it was last used, to the minute.'),
  expiresAt: described(z.string(), 'When it ends by itself.'),
  address: described(optionalFact(z.string()), 'From which address it was last used; null: not known.'),
  isBrowser: described(z.boolean(), 'It works with a key of the browser alone.'),
  isOwn: described(z.boolean(), 'It is the one that asks.'),
});
export type OpenSession = z.output<typeof openSession>;

const params = z.object({ id: idOf('the session') }, { error: message.object });

/** The calls about sessions and the password. */
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
  me: call('GET', '/api/auth/me', 'Says whom the token belongs to.', {
    access: 'any',
    rights: [],
    node: 'reply',
    reply: me,
  }),
  list: call('GET', '/api/sessions', 'Lists the sessions that last, the newest first.', {
    reply: z.array(openSession),
  }),
  end: call('DELETE', '/api/sessions/{id}', 'Ends a session: its token is refused from now on.', {
    params,
    reply: z.string(),
  }),
  endOthers: call('DELETE', '/api/sessions', 'Ends all sessions but the one that asks.', { reply: z.string() }),
  password: call('GET', '/api/auth/password', 'Says whether the password can be changed here.', {
    reply: z.object({
      problem: described(optionalFact(z.string()), 'Why it cannot, in a sentence; null: it can.'),
    }),
  }),
  changePassword: call(
    'POST',
    '/api/auth/password',
    'Changes the password and ends all sessions but the one that asks. API tokens stay.',
    { body: passwordInput, reply: z.string(), repeatable: false },
  ),
} as const;
