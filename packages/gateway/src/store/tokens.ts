import type { Connection, TableShape } from './table.ts';

/** The nodes' access tokens. */
export const tokens = {
  name: 'nodeTokens',
  searchable: ['name'],
  orderable: ['id', 'name', 'expireAt', 'createdAt'],
  unique: ['tokenHash'],
} as const satisfies TableShape<'nodeTokens'>;

/** Notes that a token is used now. That is no change of the token: its version stays. */
export async function noteUse({ sql, now }: Connection, id: number): Promise<void> {
  const lastUsedAt = now().toISOString();
  await sql.updateTable(tokens.name).set({ lastUsedAt }).where('id', '=', id).execute();
}
