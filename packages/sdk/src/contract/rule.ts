import * as z from 'zod/mini';
import type { Problem } from './problem.ts';

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
