import {
  type Attributes,
  type check,
  type Filled,
  type Page,
  pickAttributes,
  soundRows,
  withDefaults,
} from '@sallyport/sdk/contract';
import { checked } from './failure.ts';

// Between the rows of the database and what clients send and get.

/** The fields that were really given; what is left out of a change stays as it is. */
export function definedOnly<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

/** All attributes of an object, once a change is made to what they were. @throws {Failure} 422 */
export const formOf =
  <A extends Attributes>(attributes: A, input: Parameters<typeof check>[0]) =>
  (before: Partial<Filled<A>>, change: { [K in keyof A]?: unknown }): Filled<A> => {
    const merged = { ...pickAttributes(attributes, before), ...definedOnly(change) };
    checked(input, merged);
    return withDefaults(attributes, merged);
  };

type Timed = { createdAt: string; updatedAt: string };

/** Reads the rows of an entity as they are answered: values of the wrong kind become harmless, and are named. */
export function answeredRows(entity: Parameters<typeof soundRows>[0]) {
  const sound = soundRows(entity);
  return <Row extends Timed>({ createdAt, updatedAt, ...stored }: Row) =>
    sound({ ...stored, created_at: createdAt, updated_at: updatedAt });
}

/** What to say of an object whose row has values of the wrong kind, unless there is more to say; null: it has none. */
export const damageProblem = (damaged: readonly string[]): string | null =>
  damaged.length === 0
    ? null
    : `Its row in the database is damaged (${damaged.join(', ')}). Edit it and save it again, or delete it.`;

/** A page with each of its rows shown. */
export const shownPage = <Row, Shown>(page: Page<Row>, show: (row: Row) => Shown): Page<Shown> => ({
  ...page,
  data: page.data.map(show),
});
