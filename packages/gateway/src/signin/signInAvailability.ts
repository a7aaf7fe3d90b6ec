import type { World } from '../ports.ts';

/** Whether visitors can be asked to sign in in front of a service; until they can, no domain may promise it. */
export const signInAvailability = (): ReturnType<World['signIn']> => ({
  available: false,
  reason: 'This version of the gateway does not ask visitors to sign in.',
});

/** Why they cannot; null: they can. */
export const signInProblem = (state: ReturnType<World['signIn']>): string | null =>
  state.available ? null : state.reason;
