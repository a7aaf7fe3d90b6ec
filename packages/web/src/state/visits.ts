import { read, VISITS_KEY, write } from './store.ts';

/** Something that was looked at: enough to show it in a list and to read it again. */
export type Visit = {
  kind: 'node' | 'domain' | 'http' | 'tcp';
  id: number;
  /** The node of a service. */
  nodeId?: number;
  name: string;
};

/** So many are kept. */
const MAX_VISITS = 6;

/** Which of two is the same thing, whatever it is called by now. */
const isSame = (one: Pick<Visit, 'kind' | 'id'>, other: Pick<Visit, 'kind' | 'id'>) =>
  one.kind === other.kind && one.id === other.id;

const isVisit = (kept: Partial<Visit> | null): kept is Visit =>
  /^(?:node|domain|http|tcp)$/.test(kept?.kind ?? '') && typeof kept?.id === 'number' && typeof kept.name === 'string';

/** What was looked at last in this browser, the latest first. */
export function visits(): Visit[] {
  try {
    const kept: unknown = JSON.parse(read(VISITS_KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isVisit) : [];
  } catch {
    // Another build has kept something else.
    return [];
  }
}

const keep = (next: readonly Visit[]): void => write(VISITS_KEY, JSON.stringify(next.slice(0, MAX_VISITS)));

/** Notes that something is looked at. */
export const noteVisit = (visit: Visit): void => keep([visit, ...visits().filter((other) => !isSame(other, visit))]);

/** Forgets something that is not there any more. */
export const forgetVisit = (gone: Pick<Visit, 'kind' | 'id'>): void =>
  keep(visits().filter((other) => !isSame(other, gone)));
