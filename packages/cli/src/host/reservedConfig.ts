import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../failure.ts';
import { type FileAdvice, guardFile } from '../storedFile.ts';
import { writePrivateFile } from '../storedFile.ts';
import { reserveFile } from './reservedFile.ts';

/** Room for a configuration that cannot be had a second time. */
export type Reservation = {
  /** Puts the text in the place of the one before. When that fails, the `Failure` says where it stands instead. */
  write(text: string): void;
  /** Gives the room back. */
  release(): void;
};

/** Takes the room next to the configuration. @throws {Failure} when there is none; nothing is left then */
export function reserveConfig(advice: FileAdvice, bytes: number): Reservation {
  const { path } = advice;
  const room = guardFile(advice, () => reserveFile(path, bytes));
  return {
    release: room.release,
    write(text) {
      let kept: string | null = room.path;
      try {
        guardFile(advice, () => {
          try {
            room.fill(text);
          } catch (error) {
            kept = keepElsewhere(text);
            room.release();
            throw error;
          }
          room.replace();
        });
      } catch (error) {
        throw rescued(error, path, kept);
      }
    },
  };
}

/** Where a text found room that found none where it belongs; null: nowhere. */
function keepElsewhere(text: string): string | null {
  for (const directory of [tmpdir(), '/run']) {
    const path = join(directory, `sallyport-config-${randomBytes(6).toString('hex')}.json`);
    try {
      writePrivateFile(path, text);
      return path;
    } catch {
      // The next one may have room.
    }
  }
  return null;
}

function rescued(error: unknown, path: string, kept: string | null): Failure {
  const reason = error instanceof Error ? error.message : String(error);
  return new Failure(
    'failed',
    `The gateway has given this host a new token, but ${reason}`,
    kept === null
      ? 'It is lost: get another one in the console and give it to `sallyport config`.'
      : `The new configuration stands in ${kept}, which its owner alone can read: move it to ${path}, then run \`sallyport connect\`.`,
    { cause: error },
  );
}
