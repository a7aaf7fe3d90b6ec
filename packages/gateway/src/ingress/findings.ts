import type { ObjectKey } from '../rules/attempt.ts';
import type { RenderOptions } from './render/desiredState.ts';
import type { Fault } from './nginx/faults.ts';

/** How the ingress as a whole is. */
export type IngressStatus = {
  up: boolean;
  /** Number of the configuration that nginx serves. */
  generation: number;
  /** Why the ingress as a whole does not serve the database, in a sentence. */
  problem: string | null;
};

/** Why each object cannot be served as saved. */
export type Problems = ReadonlyMap<ObjectKey, string>;

/** What serving the database brought to light. */
export type Findings = {
  status(): IngressStatus;
  problems(): Problems;
  /** Remembers what was found, and calls the listeners when something of it is new. */
  settle(problems: Problems, status: IngressStatus): { newProblems: boolean };
  onNews(listener: () => void): () => void;
};

export function createFindings(): Findings {
  const listeners = new Set<() => void>();
  let problems: Problems = new Map();
  let status: IngressStatus = { up: false, generation: 0, problem: null };
  return {
    status: () => status,
    problems: () => problems,
    settle(found, next) {
      const newProblems =
        found.size !== problems.size || [...found].some(([key, problem]) => problems.get(key) !== problem);
      const isNews =
        newProblems ||
        next.up !== status.up ||
        next.generation !== status.generation ||
        next.problem !== status.problem;
      problems = found;
      status = next;
      if (isNews) for (const listener of listeners) listener();
      return { newProblems };
    },
    onNews(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Of an object that is new, while memory has no room for another generation. */
export const WAITS_FOR_MEMORY =
  'Saved, but not served yet: connections that are open since before the last changes need much memory, so new objects are ' +
  'served together, within about ten minutes. To have it served at once, save a change of it.';

/** Why the ingress as a whole cannot be served, in a sentence that says what to do. */
export function ingressProblem(faults: readonly Fault[], ports: RenderOptions['ports']): string {
  const taken = faults.find(({ address }) => address !== undefined);
  if (taken?.address !== undefined) {
    const port = Number(/:(\d+)$/.exec(taken.address)?.[1]);
    const setting = {
      [ports.http]: 'SALLYPORT_HTTP_PORT',
      [ports.https]: 'SALLYPORT_HTTPS_PORT',
      [ports.console]: 'SALLYPORT_CONSOLE_PORT',
    }[port];
    const fix = setting === undefined ? 'Free it' : `Free it, or choose another port with ${setting}`;
    return `nginx cannot listen on ${taken.address}: ${reasonOf(taken.message)}. ${fix}.`;
  }
  return `nginx cannot serve: ${(faults[0]?.message ?? 'it gave no reason').slice(0, 300)}.`;
}

const reasonOf = (message: string): string => /\(\d+: ([^)]+)\)/.exec(message)?.[1]?.toLowerCase() ?? 'it is refused';
