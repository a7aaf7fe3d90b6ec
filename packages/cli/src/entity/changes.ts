import { Failure } from '../context.ts';

/** What is to be changed; a command line that changes nothing is wrong usage. */
export function changesOf<T extends object>(given: T): T {
  const isAny = Object.values(given).some((value) => value !== undefined);
  if (isAny) return given;
  throw new Failure('usage', 'Nothing to change was given.', 'See --help.');
}
