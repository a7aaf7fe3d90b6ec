import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASE_FILE } from '../start/dataFiles.ts';
import type { DomainRow } from '../store/rows.ts';
import { DatabaseError } from '../store/open.ts';
import { openStore, type Store } from '../store/store.ts';

/** A database that cannot be read is found elsewhere, and one of an earlier version is not looked into. */
export async function storedDomains(dataDirectory: string): Promise<readonly DomainRow[]> {
  const file = join(dataDirectory, DATABASE_FILE);
  if (!existsSync(file)) return [];
  let store: Store;
  try {
    store = openStore(file, () => new Date(), { mayMigrate: false });
  } catch (error) {
    if (error instanceof DatabaseError) return [];
    throw error;
  }
  try {
    return await store.domains.all();
  } finally {
    await store.close();
  }
}
