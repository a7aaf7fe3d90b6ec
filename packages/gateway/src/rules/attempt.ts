import type { ObjectKind } from '../world.ts';

/** A value that cannot stand in a configuration; `reason` is a sentence for the administrator. */
export class UnquotableError extends Error {
  override readonly name = 'UnquotableError';
}

/** Null, and whose fault it is, when it fails. */
export function attempt<T>(action: () => T, blame: (reason: string) => void): T | null {
  try {
    return action();
  } catch (error) {
    // A row that was damaged by hand may have values of any type.
    blame(
      error instanceof UnquotableError
        ? error.message
        : 'Its row in the database is damaged. Edit it and save it again.',
    );
    return null;
  }
}

/** An object among those of all kinds: `httpService 5`. */
export type ObjectKey = `${ObjectKind} ${number}`;

export const objectKey = (kind: ObjectKind, id: number): ObjectKey => `${kind} ${id}`;
