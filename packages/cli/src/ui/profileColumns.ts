import type { Column } from './table.ts';

/** A session as a list shows it: without its token. */
export type ProfileRow = {
  name: string;
  url: string;
  username: string;
  expiresAt: string | null;
  pin: string | null;
};

/** The columns of the profiles table; what has ended is told by `now`. */
export const profileColumns = (now: Date): readonly Column<ProfileRow>[] => [
  { heading: 'NAME', text: ({ name }) => name },
  { heading: 'GATEWAY', text: ({ url }) => url, mayShrink: true },
  { heading: 'USER', text: ({ username }) => username },
  {
    heading: 'SIGNED IN UNTIL',
    text: ({ expiresAt }) =>
      expiresAt === null ? '-' : Date.parse(expiresAt) <= now.getTime() ? 'it has ended' : expiresAt,
    exact: ({ expiresAt }) => expiresAt ?? '',
  },
  {
    heading: 'TRUSTED CERTIFICATE',
    text: ({ pin }) => (pin === null ? 'as usual' : `${pin.slice(0, 16)}…`),
    exact: ({ pin }) => pin ?? '',
  },
];
