import * as z from 'zod/mini';
import { field } from './field.ts';

/**
 * Fields that every stored entity has. Replies are read tolerantly: a gateway of the same family that does not send
 * `version` or `updated_at` is still understood.
 */
export const stored = {
  id: z.int().check(z.meta({ description: 'Number of the row, 1 and up.' })),
  version: z
    ._default(z.int(), 1)
    .check(z.meta({ description: 'Grows with every change; send it as `If-Match` to refuse a stale write (412).' })),
  created_at: z._default(z.string(), '').check(z.meta({ description: 'ISO 8601, UTC.' })),
  updated_at: z._default(z.string(), '').check(z.meta({ description: 'ISO 8601, UTC.' })),
};

/** The id of a row in a path, a query or a body. */
export const idOf = (thing: string) => field.id.check(z.meta({ description: `The number of ${thing}.` }));

/** An optional fact: null when there is none, also when the gateway leaves it out. */
export const optionalFact = <T extends z.ZodMiniType>(inner: T) => z._default(z.nullable(inner), null);

/** What the gateway found out about an object by itself. */
export const findings = {
  problem: optionalFact(z.string()).check(
    z.meta({ description: 'Why it cannot be served as saved, in a sentence; null when all is well.' }),
  ),
};

/** Whether a backend answers: `unknown` until it was asked, `down` also while the tunnel to it is. */
export const health = {
  health: z._default(z.enum(['unknown', 'up', 'down']), 'unknown').check(
    z.meta({
      description:
        'Whether the backend answers, asked every 30 seconds and after each change; a node without a tunnel counts as down. Unknown while disabled, and for UDP.',
    }),
  ),
  healthReason: optionalFact(z.string()).check(
    z.meta({ description: 'Why the backend counts as down, in a sentence.' }),
  ),
};
