import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createKeyVault } from '../../packages/gateway/src/vault/keyVault.ts';

const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----([^-]+)-----END/g;
/** What follows in a key of this kind is the same for all of them. */
const LINES_ALIKE = 1;

/** Every file below a directory, as paths below it. */
export async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name)));
}

/** The private keys in a gateway's data directory: of its certificates, of its nodes, and the one that seals those. */
export async function privateKeysIn(data: string): Promise<string[]> {
  const secrets = path.join(data, 'secrets');
  const keys: string[] = [];
  for (const file of await filesBelow(secrets)) {
    const text = await readFile(path.join(secrets, file), 'utf8');
    for (const [, base64 = ''] of text.matchAll(PRIVATE_KEY)) {
      keys.push(...base64.trim().split('\n').slice(LINES_ALIKE));
    }
  }
  const vaultFile = path.join(secrets, 'vault.key');
  keys.push((await readFile(vaultFile, 'utf8')).trim());
  return [...keys, ...(await nodeKeysIn(data, vaultFile))].filter((key) => key.length > 16);
}

async function nodeKeysIn(data: string, vaultFile: string): Promise<string[]> {
  const vault = await createKeyVault(vaultFile);
  const database = new DatabaseSync(path.join(data, 'sallyport.db'), { readOnly: true });
  try {
    const rows = database.prepare('select sealed_private_key a, sealed_preshared_key b from nodes').all() as {
      a: string | null;
      b: string | null;
    }[];
    return rows.flatMap(({ a, b }) => [a, b]).flatMap((text) => (text === null ? [] : [vault.open(text).reveal()]));
  } finally {
    database.close();
  }
}
