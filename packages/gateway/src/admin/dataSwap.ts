import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gatewayUsing, LOCK_FILE } from '../machine/dataDirectory.ts';
import { StartError } from '../machine/startError.ts';
import { WITNESS_DIRECTORY } from '../start/dataFiles.ts';
import { hasNginx } from './check.ts';
import { COMPLETE_FILE, finishRestore, isMountPoint, keptPathOf, ownEntries, unpackedOf } from './finishRestore.ts';

/** @throws {StartError} when a gateway uses the directory, or it holds something else */
export function mustBeUnused(directory: string): void {
  const stop = 'End it first, with nginx and the tunnel: systemctl stop sallyport-gateway, or Ctrl+C.';
  if (!existsSync(join(directory, LOCK_FILE))) {
    if (!existsSync(directory) || ownEntries(directory).length === 0) return;
    throw new StartError(`${directory} is not a data directory of Sallyport. Name another one with SALLYPORT_DATA.`);
  }
  if (gatewayUsing(directory) !== undefined) throw new StartError(`A gateway is using ${directory}. ${stop}`);
  if (hasNginx(directory)) throw new StartError(`The nginx of ${directory} is still serving. ${stop}`);
}

/** Under which name what is in a data directory would be kept; null: nothing is there. */
export const keptNameOf = (directory: string): string | null =>
  existsSync(directory) && ownEntries(directory).length > 0 ? keptPathOf(directory, new Date()) : null;

/**
 * Puts what is ready (`unpackedOf`) in the place of a data directory: by its name, or, where something is mounted there,
 * entry by entry. Killed at any moment, the one or the other is there, the latest after the next start.
 * @param keptAs where what is there now goes to
 * @throws {StartError} when a part of it is a mount point, too; nothing was changed then
 */
export function putInPlace(directory: string, keptAs: string | null): void {
  const unpacked = unpackedOf(directory);
  const isWithin = unpacked.startsWith(`${directory}/`);
  const mounted = isWithin ? ownEntries(directory).find((name) => isMountPoint(join(directory, name))) : undefined;
  if (mounted !== undefined) {
    const path = join(directory, mounted);
    throw new StartError(
      `${path} is mounted by itself and cannot be replaced. Unmount it, or name another directory with SALLYPORT_DATA.`,
    );
  }
  if (keptAs !== null) keepWitness(directory, unpacked);
  // By it a start knows a data directory.
  writeFileSync(join(unpacked, LOCK_FILE), '', { mode: 0o600 });
  writeFileSync(join(unpacked, COMPLETE_FILE), isWithin && keptAs !== null ? basename(keptAs) : '', { flush: true });
  if (!isWithin && keptAs === null) rmSync(directory, { recursive: true, force: true });
  else if (!isWithin && keptAs !== null) renameSync(directory, keptAs);
  finishRestore(directory);
}

/** What the database came to that was there: the next start gives nothing that is made a number which that one gave. */
function keepWitness(directory: string, unpacked: string): void {
  const from = join(directory, WITNESS_DIRECTORY);
  if (!existsSync(from)) return;
  mkdirSync(join(unpacked, WITNESS_DIRECTORY), { mode: 0o700 });
  for (const name of readdirSync(from)) writeFileSync(join(unpacked, WITNESS_DIRECTORY, basename(name)), '');
}
