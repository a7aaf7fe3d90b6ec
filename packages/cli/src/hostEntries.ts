import type { Entry } from './program.ts';

/** The commands of a host that joins a gateway. */
export const HOST_ENTRIES: readonly Entry[] = [
  {
    path: ['login'],
    summary: 'Sign in to a gateway.',
    load: async () => (await import('./commands/login.ts')).login,
  },
];
