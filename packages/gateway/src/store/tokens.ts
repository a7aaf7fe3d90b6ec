import type { TokenRow } from './rows.ts';
import type { TableShape } from './table.ts';

/** The nodes' access tokens. */
export const tokens = {
  name: 'node_tokens',
  searchable: ['name'],
  orderable: ['id', 'name', 'expireAt', 'createdAt'],
  unique: ['token'],
} as const satisfies TableShape<TokenRow> & { unique: readonly string[] };
