import { errorCode } from '../machine/errorCode.ts';
import { freeBytes } from '../machine/freeBytes.ts';
import { StartError } from '../machine/startError.ts';
import { DatabaseError, isFull } from '../store/open.ts';

/** With less than that SQLite cannot do its work, and says no more than that it could not write. */
const SCARCE_BYTES = 1_000_000;

/**
 * What is to be said of an error that came of a full disk; any other stays as it is.
 * @param directory on whose disk the work was done
 * @param where what was to be written
 */
export function withoutRoom(error: unknown, directory: string, where = `in ${directory}`): unknown {
  // The store has put it into a sentence of its own already.
  const said = error instanceof DatabaseError ? error.cause : error;
  const isScarce = /^SQLITE_(?:IOERR|CANTOPEN)/.test(errorCode(said)) && freeBytes(directory) < SCARCE_BYTES;
  if (!isFull(said) && !isScarce) return error;
  return new StartError(`There is no room left ${where}. Make some, then run the command again; nothing was changed.`, {
    cause: error,
  });
}
