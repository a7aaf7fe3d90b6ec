import { execFile } from 'node:child_process';
import { createHash, createPrivateKey, randomBytes, X509Certificate } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { isIP, SocketAddress } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isClockWrong } from '../rules/wrongClock.ts';
import { replaceFile } from '../machine/atomicFile.ts';

/** A certificate and its key, as nginx reads them. */
export type CertificatePair = {
  /** Absolute path of the certificate, in PEM. */
  certificate: string;
  /** Absolute path of the key. Both may be in one file. */
  key: string;
  /** SHA-256 of the certificate, as browsers show it: `AB:CD:…`. */
  fingerprint256: string;
  notAfter: Date;
};

export type SelfSignedPair = CertificatePair & {
  /** SHA-256 of its public key, base64: it stays when the certificate is renewed. */
  keyPin: string;
};

/** The certificates of the gateway's domains. */
export type Certificates = {
  /** A self-signed certificate for exactly these names and addresses, the one that is there or a new one. */
  ensureSelfSigned(names: readonly string[]): Promise<SelfSignedPair>;
  /** Removes all certificates and keys but those whose first name is one of these. No other call may run meanwhile. */
  keepOnly(names: readonly string[]): Promise<void>;
};

// The longest that Apple's systems accept, also for a certificate that its user has trusted by hand.
const VALID_DAYS = 825;
const RENEW_BEFORE_DAYS = 30;
const DAY_MS = 86_400_000;
const OPENSSL_LIMIT_MS = 30_000;
const LONGEST_COMMON_NAME = 64;
const DNS_NAME = /^(?:\*\.)?(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Certificates below a directory, each in one of its own. */
export function createCertificates(directory: string): Certificates {
  return {
    ensureSelfSigned: (names) => ensureSelfSigned({ directory, names }),
    keepOnly: (names) => keepDirectories(directory, names.map(normalCase)),
  };
}

/** Removes the directories of all other domains. */
export async function keepDirectories(parent: string, domains: readonly string[]): Promise<void> {
  const kept = new Set(domains.map(directoryName));
  const gone = (await readdir(parent).catch(() => [])).filter((name) => !kept.has(name));
  await Promise.all(gone.map((name) => rm(join(parent, name), { recursive: true, force: true })));
}

/**
 * Finds or makes a self-signed certificate. One that is damaged, does not match its key, names anything else or ends
 * within a month is replaced (while the clock is wrong, its time does not count), by one of the same key where that is whole: who pinned the key is not locked out by a renewal
 * or, for the gateway's own certificate, by another name.
 *
 * Certificate and key are one file, so that replacing the pair is a single step that nginx cannot see half done.
 * @throws {TypeError} when a name is neither a DNS name nor an address
 */
export async function ensureSelfSigned(options: {
  directory: string;
  names: readonly string[];
}): Promise<SelfSignedPair> {
  const names = options.names.map(normalName);
  const [first] = names;
  if (first === undefined) throw new TypeError('A certificate needs a name.');
  const home = join(options.directory, directoryName(first));
  const file = join(home, 'pair.pem');
  const present = await readFile(file, 'utf8').catch(() => '');
  const found = usable(present, names);
  if (found !== null) return { certificate: file, key: file, ...found };
  const key = keyIn(present, names) ?? (isOwn(names) ? await formerOwnKey(options.directory, names) : null);
  await mkdir(home, { recursive: true, mode: 0o700 });
  const made = await makePair(home, names, key);
  const usableNow = usable(made, names);
  // openssl does not notice that what it writes stays empty.
  if (usableNow === null) throw new Error('openssl wrote no whole certificate: no space left on the device');
  await replaceFile(file, made);
  return { certificate: file, key: file, ...usableNow };
}

/** A directory's name for a domain: readable for an ordinary one, a digest for anything that could lead elsewhere. */
export function directoryName(domain: string): string {
  const readable = domain.toLowerCase().replace(/^\*\./, '_wildcard.');
  if (readable.length <= 200 && /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(readable)) return readable;
  return `=${createHash('sha256').update(domain).digest('hex').slice(0, 32)}`;
}

/** Whether these are the names of the gateway's own certificate; no domain is one for this very machine. */
const isOwn = (names: readonly string[]): boolean => names.includes('localhost') && names.includes('127.0.0.1');

const pinOf = ({ publicKey }: X509Certificate): string =>
  createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64');

const namesOf = (certificate: X509Certificate): string[] =>
  (certificate.subjectAltName ?? '').split(', ').map(readAltName);

/** The key of a pair whose parts belong together, in PEM; null when there is none for such names. */
function keyIn(pem: string, names: readonly string[]): string | null {
  try {
    const certificate = new X509Certificate(pem);
    const key = createPrivateKey(pem);
    // The name of a gateway may become a domain's later: that must not be served with the console's key.
    const isSuitable = certificate.checkPrivateKey(key) && isOwn(namesOf(certificate)) === isOwn(names);
    return isSuitable ? key.export({ type: 'pkcs8', format: 'pem' }).toString() : null;
  } catch {
    return null;
  }
}

/** The key of the newest certificate that the gateway had for itself under another name; null: there is none. */
async function formerOwnKey(directory: string, names: readonly string[]): Promise<string | null> {
  const homes = await readdir(directory).catch(() => []);
  const found = await Promise.all(
    homes.map(async (home) => {
      const pem = await readFile(join(directory, home, 'pair.pem'), 'utf8').catch(() => '');
      const key = keyIn(pem, names);
      return key === null ? [] : [{ key, since: Date.parse(new X509Certificate(pem).validFrom) }];
    }),
  );
  return found.flat().toSorted((one, other) => other.since - one.since)[0]?.key ?? null;
}

/** What is known of a certificate for exactly these names that can go on being served; null: it cannot. */
function usable(
  pem: string,
  names: readonly string[],
): Pick<SelfSignedPair, 'fingerprint256' | 'keyPin' | 'notAfter'> | null {
  try {
    const certificate = new X509Certificate(pem);
    const covered = namesOf(certificate);
    const isExact = covered.length === names.length && names.every((name) => covered.includes(name));
    const notAfter = new Date(certificate.validTo);
    const now = new Date();
    const isFresh = notAfter.getTime() - now.getTime() > RENEW_BEFORE_DAYS * DAY_MS;
    const isStarted = Date.parse(certificate.validFrom) <= now.getTime();
    // One that visitors trust is not replaced for a clock that was not set yet.
    const isInTime = isClockWrong(now) || (isFresh && isStarted);
    const isPair = certificate.checkPrivateKey(createPrivateKey(pem));
    return isExact && isInTime && isPair
      ? { fingerprint256: certificate.fingerprint256, keyPin: pinOf(certificate), notAfter }
      : null;
  } catch {
    return null;
  }
}

function readAltName(entry: string): string {
  const [kind, ...rest] = entry.split(':');
  const value = rest.join(':');
  return kind === 'IP Address' ? normalName(value) : value;
}

/** @param given the key that it is for, in PEM; null: a new one */
async function makePair(home: string, names: readonly string[], given: string | null): Promise<string> {
  const workshop = await mkdtemp(join(home, 'making-'));
  try {
    const [configuration, key] = [join(workshop, 'request.cnf'), join(workshop, 'key.pem')];
    const certificate = join(workshop, 'certificate.pem');
    await writeFile(configuration, requestText(names));
    const serial = `0x${randomBytes(16).toString('hex').replace(/^./, '7')}`;
    if (given !== null) await writeFile(key, given, { mode: 0o600 });
    const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key];
    const keyWords = given === null ? newKey : ['-key', key];
    const paper = ['-x509', '-sha256', '-days', String(VALID_DAYS), '-set_serial', serial, '-out', certificate];
    await promisify(execFile)('openssl', ['req', '-batch', '-config', configuration, ...keyWords, ...paper], {
      timeout: OPENSSL_LIMIT_MS,
    });
    return (await readFile(certificate, 'utf8')) + (await readFile(key, 'utf8'));
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
}

/** What openssl is asked for. The names have passed `normalName`, so none can add a line or a value. */
function requestText(names: readonly string[]): string {
  const shown = names.find((name) => name.length <= LONGEST_COMMON_NAME) ?? 'sallyport';
  const entries = names.map((name, index) => `${isIP(name) === 0 ? 'DNS' : 'IP'}.${index + 1} = ${name}`);
  return `[req]
prompt = no
distinguished_name = subject
x509_extensions = extensions
[subject]
CN = ${shown}
[extensions]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectKeyIdentifier = hash
subjectAltName = @names
[names]
${entries.join('\n')}
`;
}

/** The one spelling of a name: lower case; an IPv6 address in its short form. */
const normalCase = (name: string): string =>
  isIP(name) === 6 ? new SocketAddress({ address: name, family: 'ipv6' }).address : name.toLowerCase();

/** The name in its one spelling. @throws {TypeError} when it is neither a DNS name nor an address */
export function normalName(name: string): string {
  const lower = normalCase(name);
  if (isIP(lower) === 0 && (lower.length > 253 || !DNS_NAME.test(lower))) {
    throw new TypeError(`${JSON.stringify(name)} is neither a domain name nor an address.`);
  }
  return lower;
}

/** Certificates that were looked at lately; thousands of them cannot be read again for every change. */
export type CertificateShelf = {
  get(names: readonly string[]): Promise<CertificatePair>;
  /** Has every certificate looked at again, and made again where that does not help. */
  forget(): void;
  /**
   * Removes the certificates and keys of all other names, also those that an earlier gateway left. Only when nginx serves
   * none of them any more, and while no one asks for one.
   */
  keepOnly(names: readonly string[]): Promise<void>;
};

/** A certificate that is about to end is replaced a month before, so an hour is early enough to see it. */
const REMEMBER_MS = 3_600_000;

export function createCertificateShelf(certificates: Certificates, now: () => Date): CertificateShelf {
  const known = new Map<string, { pair: Promise<CertificatePair>; at: number }>();
  let tidied = false;
  return {
    get(names) {
      const key = names.join(' ');
      const found = known.get(key);
      if (found !== undefined && Math.abs(now().getTime() - found.at) < REMEMBER_MS) return found.pair;
      const pair = certificates.ensureSelfSigned(names);
      known.set(key, { pair, at: now().getTime() });
      pair.catch(() => known.delete(key));
      return pair;
    },
    forget: () => known.clear(),
    async keepOnly(names) {
      const kept = new Set(names);
      const gone = [...known.keys()].filter((key) => !kept.has(key.split(' ')[0] ?? ''));
      if (tidied && gone.length === 0) return;
      for (const key of gone) known.delete(key);
      await certificates.keepOnly(names);
      tidied = true;
    },
  };
}
