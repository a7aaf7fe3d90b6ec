import type { TokenStatus } from '@sallyport/sdk';
import { formatRelative, tokenStatus } from '@sallyport/sdk';
import type { Token } from '@sallyport/sdk/contract';
import type { Tone } from '../io.ts';
import type { Column } from './table.ts';

const TONES: Record<TokenStatus, Tone> = { Active: 'green', Expired: 'yellow', Revoked: 'dim' };

/** The columns of the access tokens table; what has ended is told by `now`. */
export const tokenColumns = (now: Date): readonly Column<Token>[] => [
  { heading: 'ID', text: ({ id }) => String(id), alignRight: true },
  { heading: 'NAME', text: ({ name }) => name, mayShrink: true },
  {
    heading: 'STATUS',
    text: (row) => tokenStatus(row, now),
    exact: (row) => tokenStatus(row, now).toLowerCase(),
    tone: (row) => TONES[tokenStatus(row, now)],
  },
  { heading: 'ENDS', text: ({ expireAt }) => expireAt ?? 'never', exact: ({ expireAt }) => expireAt ?? '' },
  {
    heading: 'LAST USED',
    text: ({ lastUsedAt }) => formatRelative(lastUsedAt, now),
    exact: ({ lastUsedAt }) => lastUsedAt ?? '',
  },
];
