import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What only a gateway that has begun leaves in its data directory, each by its name there. The database has its first
 * rows, and they are on the disk, before any of it is made; so where it is and they are not, a database was lost.
 * The key file is looked for in its usual place alone: elsewhere an administrator may have put one for a new gateway.
 */
const FILES = ['secrets/vault.key', 'initial-password'];
const FILLED_DIRECTORIES = ['secrets/certificates', 'secrets/issued/pairs', 'ingress/generations', 'logs'];

/** Which files of a gateway are in a data directory, next to its database. */
export function gatewayFiles(directory: string): string[] {
  return [
    ...FILES.filter((name) => existsSync(join(directory, name))),
    ...FILLED_DIRECTORIES.filter((name) => isFilled(join(directory, name))),
  ];
}

function isFilled(directory: string): boolean {
  try {
    return readdirSync(directory).length > 0;
  } catch {
    return false;
  }
}
