import { check, type Page, type Problem } from '@sallyport/sdk/contract';
import type { Verdict } from '@sallyport/sdk/rules';
import { message } from '@sallyport/sdk/contract';
import { failure } from './failure.ts';

/** Fails with 422 when there is a problem. */
export function refuseProblems(problems: readonly (Problem | null | false | undefined)[]): void {
  const found = problems.filter((problem) => problem !== null && problem !== false && problem !== undefined);
  if (found.length > 0) throw failure.invalid(found);
}

/** Fails with 400 and the rule's reason when the rule says no. */
export function requireAllowed(verdict: Verdict): void {
  if (!verdict.allowed) throw failure.rejected(verdict.reason);
}

/** Fails with 412 when the caller's change is based on another version. */
export function requireVersion(row: { version: number }, { ifMatch }: { ifMatch: number | null }): void {
  if (ifMatch !== null && ifMatch !== row.version) throw failure.stale();
}

/** Fails with 422 when the body names another object than the path. */
export function requireSameId(bodyId: number | undefined, pathId: number): void {
  if (bodyId !== undefined && bodyId !== pathId) {
    throw failure.invalid([{ field: 'id', message: message.oneOf([String(pathId)]) }]);
  }
}

/** The value as its schema of the contract understands it; 422 when it does not. */
export function checked<S extends Parameters<typeof check>[0]>(schema: S, value: unknown) {
  const result = check(schema, value);
  if (!result.ok) throw failure.invalid(result.problems);
  return result.value;
}

/** The fields that somebody really gave; what is left out of a change stays as it is. */
export function definedOnly<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

/** A page with each of its rows shown. */
export const shownPage = <Row, Shown>(page: Page<Row>, show: (row: Row) => Shown): Page<Shown> => ({
  ...page,
  data: page.data.map(show),
});

/** What to say of an object whose row has values of the wrong kind, unless there is more to say; null: it has none. */
export const damageProblem = (damaged: readonly string[]): string | null =>
  damaged.length === 0
    ? null
    : `Its row in the database is damaged (${damaged.join(', ')}). Edit it and save it again, or delete it.`;
