import { createHash } from 'node:crypto';
import { createReadStream, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Readable, Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Decrypter, Encrypter } from 'age-encryption';
import * as tar from 'tar';
import * as z from 'zod';
import { isDiskFull } from '../machine/errorCode.ts';
import { StartError, UsageError } from '../machine/startError.ts';
import { DATABASE_FILE } from '../start/dataFiles.ts';
import type { Secret } from '../vault/secret.ts';

/** What a backup is encrypted with: a passphrase, or the public key of an age identity. */
export type Lock = { passphrase: Secret } | { recipient: string };
/** What opens it. */
export type Key = { passphrase: Secret } | { identity: Secret };

/** The settings of the environment at the time, in a backup. */
export const SETTINGS_FILE = 'settings.env';
/** What a backup of the log lines is called in it. */
export const LINES_FILE = 'logs/lines.db';
/** Keys and certificates, in a backup as in the data directory. */
export const SECRETS_DIRECTORY = 'secrets';

/** Whether a file below it belongs into a backup: not certbot's logs, its working files, nor programs that it would run. */
export const isSecretKept = (path: string): boolean => !/(?:^|\/)(?:logs|work|tmp|renewal-hooks)(?:\/|$)/.test(path);

const MANIFEST = 'manifest.json';
const ALONE = [MANIFEST, DATABASE_FILE, LINES_FILE, SETTINGS_FILE];
const FORMAT = 1;
const manifestSchema = z.object({
  format: z.literal(FORMAT),
  /** Of the gateway that wrote it. */
  version: z.string(),
  createdAt: z.string(),
  files: z.array(z.object({ path: z.string(), bytes: z.number(), sha256: z.string() })),
});
export type Manifest = z.infer<typeof manifestSchema>;

/**
 * Writes the files of a directory as one archive: a tar file, packed with gzip and encrypted in the format of age, so that
 * `age --decrypt` and `tar` open it without Sallyport.
 * @param told how many bytes were read, out of how many; and then how many were written, out of an unknown number
 */
export async function writeArchive(
  directory: string,
  target: Writable,
  {
    lock,
    version,
    now,
    told,
  }: { lock: Lock; version: string; now: Date; told(bytes: number, all: number | null): void },
): Promise<Manifest> {
  const files: Manifest['files'] = [];
  const paths = filesOf(directory);
  const sizes = new Map(paths.map((path) => [path, lstatSync(join(directory, path)).size]));
  const all = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  let read = 0;
  const toldMore = (bytes: number): void => told((read += bytes), all);
  for (const path of paths) {
    files.push({ path, bytes: sizes.get(path) ?? 0, sha256: await digestOf(join(directory, path), toldMore) });
  }
  const manifest = { format: FORMAT, version, createdAt: now.toISOString(), files } satisfies Manifest;
  writeFileSync(join(directory, MANIFEST), JSON.stringify(manifest), { mode: 0o600 });
  const encrypter = new Encrypter();
  if ('passphrase' in lock) encrypter.setPassphrase(lock.passphrase.reveal());
  else {
    try {
      encrypter.addRecipient(lock.recipient);
    } catch {
      throw new UsageError(`${lock.recipient} is no recipient of age. It begins with age1; age-keygen -y prints it.`);
    }
  }
  const packed = tar.create({ cwd: directory, gzip: true, portable: true, strict: true }, [MANIFEST, ...paths]);
  const encrypted = await encrypter.encrypt(Readable.toWeb(Readable.from(packed)));
  const written = counting((bytes) => told(bytes, null));
  await pipeline(Readable.fromWeb(encrypted as Parameters<typeof Readable.fromWeb>[0]), written, target);
  return manifest;
}

/**
 * Unpacks an archive into an empty directory, and checks that it holds what was written.
 * @param told how many bytes of the archive were read
 * @throws {StartError} when it cannot be opened with that key, or is damaged: nothing of it is to be used then
 */
export async function readArchive(
  source: Readable,
  directory: string,
  { key, told }: { key: Key; told(bytes: number): void },
): Promise<Manifest> {
  const decrypter = new Decrypter();
  if ('passphrase' in key) decrypter.addPassphrase(key.passphrase.reveal());
  else {
    try {
      decrypter.addIdentity(key.identity.reveal());
    } catch {
      throw new StartError('The identity file holds no identity of age. It begins with AGE-SECRET-KEY-1.');
    }
  }
  const damaged = (error?: unknown): StartError =>
    new StartError('The backup is damaged, so nothing of it was used. Take another copy of it.', { cause: error });
  const counted = counting(told);
  // What is wrong with the source, the one who reads the copy hears of.
  void pipeline(source, counted).catch(() => undefined);
  let decrypted;
  try {
    decrypted = await decrypter.decrypt(Readable.toWeb(counted));
  } catch (error) {
    const isOther = error instanceof Error && /no identity matched/.test(error.message);
    throw isOther ? new StartError('The backup cannot be opened with that passphrase or identity.') : damaged(error);
  }
  try {
    // Whatever else an archive may hold, links and paths that lead out of the directory among it, is none of ours. Nor are
    // its modes: a program that anyone may run as root could be among the files.
    let isForeign = false;
    const unpack = tar.extract({
      cwd: directory,
      strict: true,
      preserveOwner: false,
      dmode: 0o700,
      filter(path, entry) {
        const isFile = 'type' in entry && ['File', 'OldFile'].includes(entry.type);
        if (!isFile || !isOurs(path)) {
          isForeign = true;
          return false;
        }
        entry.mode = 0o600;
        return true;
      },
    });
    await pipeline(Readable.fromWeb(decrypted as Parameters<typeof Readable.fromWeb>[0]), unpack);
    if (isForeign) throw damaged();
    const manifest = manifestSchema.parse(JSON.parse(readFileSync(join(directory, MANIFEST), 'utf8')));
    const found = filesOf(directory).filter((path) => path !== MANIFEST);
    if (found.join('\0') !== manifest.files.map(({ path }) => path).join('\0')) throw damaged();
    for (const { path, sha256 } of manifest.files) {
      if ((await digestOf(join(directory, path))) !== sha256) throw damaged();
    }
    return manifest;
  } catch (error) {
    throw isDiskFull(error) || error instanceof StartError ? error : damaged(error);
  }
}

function isOurs(path: string): boolean {
  const parts = path.split('/');
  if (path.includes('\0') || parts.some((part) => ['', '.', '..'].includes(part))) return false;
  return ALONE.includes(path) || (parts[0] === SECRETS_DIRECTORY && isSecretKept(parts.slice(1).join('/')));
}

function filesOf(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)))
    .toSorted();
}

/** The SHA-256 of a file, in hex. @param told how many bytes were read since it was told last */
export async function digestOf(file: string, told: (bytes: number) => void = () => undefined): Promise<string> {
  const hash = createHash('sha256');
  const source = createReadStream(file);
  source.on('data', (part) => told(part.length));
  await pipeline(source, hash);
  return hash.digest('hex');
}

/** Passes on what goes through it, and tells how much that was. */
function counting(told: (bytes: number) => void): Transform {
  let bytes = 0;
  return new Transform({
    transform(part: Buffer, _encoding, done) {
      told((bytes += part.length));
      done(null, part);
    },
  });
}
