import * as z from 'zod/mini';
import { field } from './field.ts';
import type { Problem } from './problem.ts';

/** A schema with what documents say about it. */
export const described = <S extends z.ZodMiniType>(schema: S, description: string | undefined): S =>
  description === undefined ? schema : schema.check(z.meta({ description }));

/**
 * Fields that every stored entity has. Replies are read tolerantly: a gateway of the same family that does not send
 * `version` or `updated_at` is still understood.
 */
export const stored = {
  id: described(z.int(), 'Number of the row, 1 and up.'),
  version: described(
    z._default(z.int(), 1),
    'Grows with every change; send it as `If-Match` to refuse a stale write (412).',
  ),
  created_at: described(z._default(z.string(), ''), 'ISO 8601, UTC.'),
  updated_at: described(z._default(z.string(), ''), 'ISO 8601, UTC.'),
};

/** The id of a row in a path, a query or a body. */
export const idOf = (thing: string) => described(field.id, `The number of ${thing}.`);

/** An optional fact: null when there is none, also when the gateway leaves it out. */
export const optionalFact = <T extends z.ZodMiniType>(inner: T) => z._default(z.nullable(inner), null);

/** What the gateway found out about an object by itself. */
export const findings = {
  problem: described(
    optionalFact(z.string()),
    'Why it cannot be served as saved, in a sentence; null when all is well.',
  ),
};

/** Whether a backend answers: `unknown` until it was asked, `down` also while the tunnel to it is. */
export const health = {
  health: described(
    z._default(z.enum(['unknown', 'up', 'down']), 'unknown'),
    'Whether the backend answers, asked every 30 seconds and after each change; a node without a tunnel counts as down. Unknown while disabled, and for UDP.',
  ),
  healthReason: described(optionalFact(z.string()), 'Why the backend counts as down, in a sentence.'),
};

/**
 * A rule that joins several fields of one object. It runs also while single fields are wrong, so that one submit shows
 * everything; `find` must therefore stand values of any kind in those fields.
 */
export const rule = <T extends object>(find: (value: T) => (Problem | false)[]) =>
  z.superRefine<T>(
    (value, context) => {
      for (const problem of find(value)) {
        if (problem) {
          context.issues.push({
            code: 'custom',
            input: value,
            path: problem.field.split('.'),
            message: problem.message,
          });
        }
      }
    },
    {
      when: ({ value }: { value: unknown }) => typeof value === 'object' && value !== null && !Array.isArray(value),
    },
  );
