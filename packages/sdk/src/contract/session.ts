import * as z from 'zod/mini';
import { call } from './endpoint.ts';
import { field } from './field.ts';
import { message } from './message.ts';

/** Wrong sign-ins from one address within `LOGIN_WINDOW_MS` before the next answers 429. */
export const LOGIN_ATTEMPTS_MAX = 5;
/** The window in which failed sign-ins are counted. */
export const LOGIN_WINDOW_MS = 600_000;

/** What an administrator signs in with. */
export const loginInput = z.strictObject(
  { username: field.requiredText(), password: field.secretText },
  { error: message.object },
);
export type LoginInput = z.input<typeof loginInput>;

/**
 * A session: the bearer token and how long it lives. `expires_in` is in seconds; `expiresIn` says the same as text
 * (`"12h"`), for clients of Wiredoor. Read the lifetime with `sessionSeconds`, which understands both.
 */
export const session = z.object({
  token: z.string(),
  expires_in: z.optional(z.number()),
  expiresIn: z.optional(z.union([z.string(), z.number()])),
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
  id: z.int(),
  type: z.enum(['admin', 'client']),
  name: z.optional(z.string()),
  exp: z.optional(z.int()),
});
export type Me = z.output<typeof me>;

/** The calls about sessions. */
export const sessionEndpoints = {
  login: call({
    method: 'POST',
    path: '/api/auth/login',
    summary: 'Signs the administrator in. Five failed tries in ten minutes from one address answer 429.',
    access: 'open',
    body: loginInput,
    reply: session,
  }),
  resume: call({
    method: 'POST',
    path: '/api/auth/session',
    summary: "Gives the console its token back after a reload, out of the browser's cookie; null when there is none.",
    access: 'open',
    reply: z.nullable(session),
  }),
  logout: call({
    method: 'POST',
    path: '/api/auth/logout',
    summary: 'Ends the session: its token is refused from now on.',
    access: 'admin',
    reply: z.string(),
  }),
  me: call({
    method: 'GET',
    path: '/api/auth/me',
    summary: 'Says whom the token belongs to.',
    access: 'any',
    reply: me,
  }),
} as const;
