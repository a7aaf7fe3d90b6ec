import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { issuedPairText, readIssuedPair } from '../certificates/certificateIssuer.ts';
import { issuedPairFile, LETS_ENCRYPT } from '../certificates/certbot.ts';
import { replaceFile } from '../machine/atomicFile.ts';
import { errorCode } from '../machine/errorCode.ts';
import { ISSUED_DIRECTORY } from '../start/dataFiles.ts';
import { Secret } from '../vault/secret.ts';

/** The certificate of a domain with its key, as certbot left it elsewhere; or why it cannot go along, without a full stop. */
export type FoundPair = { pair: Secret; endsAt: Date } | { why: string };

/** Longer than a chain with all of its certificates. */
const FILE_MAX_BYTES = 256 * 1024;

/**
 * Reads a pair of certbot's. The directory is a copy of what another program had: links in it are followed within it alone.
 * @param directory what was /etc/letsencrypt there
 * @param lineage the name of the pair in its `live`
 */
export function readCertbotPair(directory: string, lineage: string, domain: string, now = new Date()): FoundPair {
  const read = (name: string): string => readWithin(directory, join(directory, 'live', lineage, name));
  try {
    const text = issuedPairText(LETS_ENCRYPT, read('fullchain.pem'), read('privkey.pem'));
    const found = readIssuedPair('', text, domain);
    if (found === null) return { why: `its certificate in ${directory} is damaged, or not for this name` };
    const endsAt = found.notAfter;
    if (endsAt <= now) return { why: `its certificate ended on ${dayOf(endsAt)}` };
    return { pair: new Secret(text), endsAt };
  } catch (error) {
    const isMissing = ['ENOENT', 'ENOTDIR'].includes(errorCode(error));
    return {
      why: isMissing
        ? `its certificate is not in ${directory}`
        : `its certificate in ${directory} cannot be read (${error instanceof Error ? error.message : String(error)})`,
    };
  }
}

export const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

/** What is opened is looked at, and not its name, so that nothing can be put in its place between. */
function readWithin(directory: string, file: string): string {
  const open = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const facts = fstatSync(open);
    if (!facts.isFile() || facts.size > FILE_MAX_BYTES) throw new Error('it is no file of a certificate');
    if (!readlinkSync(`/proc/self/fd/${open}`).startsWith(`${realpathSync(directory)}/`)) {
      throw new Error('a link leads out of that directory');
    }
    return readFileSync(open, 'utf8');
  } finally {
    closeSync(open);
  }
}

/** Puts a pair where the gateway of a data directory looks for it. Its key is for the gateway's own account alone. */
export async function keepPair(dataDirectory: string, domain: string, pair: Secret): Promise<void> {
  const file = issuedPairOf(dataDirectory, domain);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  await replaceFile(file, pair.reveal());
}

/** Removes what `keepPair` put there. */
export const removePair = (dataDirectory: string, domain: string): void =>
  rmSync(dirname(issuedPairOf(dataDirectory, domain)), { recursive: true, force: true });

/** The file of the pair of a domain. */
export const issuedPairOf = (dataDirectory: string, domain: string): string =>
  issuedPairFile(join(dataDirectory, 'secrets', ISSUED_DIRECTORY), domain);
