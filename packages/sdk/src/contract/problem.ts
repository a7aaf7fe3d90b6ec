import * as z from 'zod/mini';
import { message } from './message.ts';

/** One thing that is wrong with one field. `field` is a dotted path (`gatewayNetworks.0.subnet`). */
export type Problem = { field: string; message: string };

/** The part of a request that a problem lies in. */
export type Segment = 'body' | 'query' | 'params';

/** The body of every error reply. `requestId` is also in the gateway's log. */
export const errorBody = z.object({
  status: z.literal('error').check(z.meta({ description: 'Always the same.' })),
  message: z.string().check(z.meta({ description: 'For the user.' })),
  requestId: z.string().check(z.meta({ description: "Finds the request in the gateway's log." })),
  errors: z
    .optional(
      z.partialRecord(
        z.enum(['body', 'query', 'params']),
        z.array(z.object({ field: z.string(), message: z.string() })),
      ),
    )
    .check(z.meta({ description: 'Which fields are wrong, and why.' })),
});
export type ErrorBody = z.output<typeof errorBody>;

/** `allowedIps[0]`, in the quotes that the messages put around a field's name. */
const quotedKey = (path: readonly PropertyKey[]) =>
  `"${path.map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index ? '.' : ''}${String(part)}`)).join('')}"`;

/** So many are named, and so much of a name that no field has: an answer must not be larger than what was sent. */
const MAX_PROBLEMS = 50;
const MAX_KEY_CHARS = 60;

/** Turns zod's findings into problems with the contract's own wording. */
export function problemsOf(error: z.core.$ZodError): Problem[] {
  const problems = error.issues.slice(0, MAX_PROBLEMS + 1).flatMap((issue): Problem[] => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.slice(0, MAX_PROBLEMS + 1).map((key) => {
        const shown = key.length > MAX_KEY_CHARS ? `${key.slice(0, MAX_KEY_CHARS)}…` : key;
        return { field: [...issue.path, shown].join('.'), message: message.unknown(shown) };
      });
    }
    return [
      {
        field: issue.path.join('.'),
        message: issue.message.replace('{key}', () => quotedKey(issue.path)),
      },
    ];
  });
  if (problems.length <= MAX_PROBLEMS) return problems;
  return [...problems.slice(0, MAX_PROBLEMS), { field: '', message: message.more(MAX_PROBLEMS) }];
}

/** The outcome of a check: the normalised value, or what is wrong with it. */
export type Checked<T> = { ok: true; value: T } | { ok: false; problems: Problem[] };

/** Checks a value against a schema of the contract. The gateway, the forms and the CLI's flags all call this one. */
export function check<S extends z.ZodMiniType>(schema: S, value: unknown): Checked<z.output<S>> {
  const result = z.safeParse(schema, value);
  return result.success ? { ok: true, value: result.data } : { ok: false, problems: problemsOf(result.error) };
}
