import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../machine/atomicFile.ts';
import { certbotFault } from './issueFaults.ts';
import {
  type AuthoritySettings,
  type CertificateIssuer,
  type IssuedPair,
  issuedPairText,
  IssueError,
  readIssuedPair,
} from './certificateIssuer.ts';
import { directoryName, keepDirectories, normalName } from './selfSigned.ts';
import { isDiskFull } from '../machine/errorCode.ts';
import { findProgram } from '../machine/runProgram.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { worksHere } from '../machine/ownProcess.ts';

export type CertbotOptions = {
  /** Only for the gateway's own account; certbot's files and the pairs are kept below it. */
  directory: string;
  /** What nginx serves for plain HTTP at `/.well-known/acme-challenge/` lies below it. */
  webroot: string;
  /** Which authority is asked from now on. */
  authority(): AuthoritySettings;
};

/** The directory address of Let's Encrypt. */
export const LETS_ENCRYPT = 'https://acme-v02.api.letsencrypt.org/directory';
/** Longer than certbot itself waits for an authority, which is a minute and a half for each of two steps. */
const ISSUE_LIMIT_MS = 240_000;
const OPENSSL_LIMIT_MS = 30_000;
const KEPT_LOGS = 10;
const MORE_DIRECTORIES = ['/usr/bin', '/usr/local/bin', '/snap/bin', '/opt/certbot/bin'];
/** What decides how certbot reaches an authority, and whom it trusts. */
const PASSED_ON = [
  'REQUESTS_CA_BUNDLE',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'HTTPS_PROXY',
  'https_proxy',
  'NO_PROXY',
  'no_proxy',
];
const WORKSHOP = 'making-';
/** Whether it is installed is asked for each service of a list: for 190 of them it takes 88 ms to look each time, and 6 like this. */
const LOOK_EVERY_MS = 1000;

const PAIRS = 'pairs';

/** Where the certificate of a domain is kept with its key. @param directory that of all that was issued */
export const issuedPairFile = (directory: string, domain: string): string =>
  join(directory, PAIRS, directoryName(domain), 'pair.pem');

/**
 * Certificates by certbot. It is given a signing request, so that names are never options, keys and certificates are
 * ours to keep, and certbot itself has nothing but its account to get wrong when it is killed.
 */
export function createCertbot(options: CertbotOptions): CertificateIssuer {
  const directoryOf = ({ authority }: AuthoritySettings): string => authority ?? LETS_ENCRYPT;
  const pairs = join(options.directory, PAIRS);
  const home = join(options.directory, 'certbot');
  const [config, work, logs] = [join(home, 'config'), join(home, 'work'), join(home, 'logs')];
  const configOption = `--config-dir=${config}`;
  const program = (): string | null => findProgram('certbot', MORE_DIRECTORIES);
  let looked = { at: Number.NEGATIVE_INFINITY, isThere: false };
  const isThere = (): boolean => {
    const at = performance.now();
    if (at - looked.at > LOOK_EVERY_MS) looked = { at, isThere: program() !== null };
    return looked.isThere;
  };
  const pairFile = (domain: string): string => issuedPairFile(options.directory, domain);
  const find = async (domain: string): Promise<IssuedPair | null> => {
    const file = pairFile(domain);
    return readIssuedPair(file, await readFile(file, 'utf8').catch(() => ''), domain);
  };
  let tidied = false;

  /** Once: what a gateway that was killed left behind. */
  const tidy = async (): Promise<void> => {
    if (tidied) return;
    await endCertbots(configOption, options.directory);
    const names = await readdir(options.directory).catch(() => []);
    const left = names.filter((name) => name.startsWith(WORKSHOP));
    await Promise.all(left.map((name) => rm(join(options.directory, name), { recursive: true, force: true })));
    tidied = true;
  };
  // A proof is of no use after the attempt, and a certbot that was killed leaves its own.
  const removeProofs = (): Promise<void> => rm(join(options.webroot, '.well-known'), { recursive: true, force: true });

  const certbot = (asked: AuthoritySettings, request: string, chain: string, workshop: string): string[] => [
    'certonly',
    '--webroot',
    `--webroot-path=${options.webroot}`,
    `--csr=${request}`,
    `--fullchain-path=${chain}`,
    `--cert-path=${join(workshop, 'leaf.pem')}`,
    `--chain-path=${join(workshop, 'rest.pem')}`,
    configOption,
    `--work-dir=${work}`,
    `--logs-dir=${logs}`,
    `--max-log-backups=${KEPT_LOGS}`,
    `--server=${directoryOf(asked)}`,
    '--non-interactive',
    '--agree-tos',
    ...(asked.email === null ? ['--register-unsafely-without-email'] : [`--email=${asked.email}`, '--no-eff-email']),
  ];

  return {
    get authority() {
      return directoryOf(options.authority());
    },
    availability: () =>
      !isThere()
        ? {
            available: false,
            reason:
              'certbot, which obtains certificates, is not installed (on Debian and Ubuntu: apt-get install certbot).',
          }
        : { available: true },
    find,
    async issue(domain, signal) {
      const name = normalName(domain);
      const authority = options.authority();
      const binary = program();
      if (binary === null) throw new IssueError({ kind: 'missing', detail: '' });
      await mkdir(options.directory, { recursive: true, mode: 0o700 });
      await tidy();
      const workshop = await mkdtemp(join(options.directory, WORKSHOP));
      const [key, request] = [join(workshop, 'key.pem'), join(workshop, 'request.pem')];
      const chain = join(workshop, 'chain.pem');
      try {
        await writeRequest({ name, key, request, settings: join(workshop, 'request.cnf') }, signal);
        const env = environment(work);
        const asked = await run(binary, certbot(authority, request, chain, workshop), {
          env,
          limitMs: ISSUE_LIMIT_MS,
          signal,
        });
        if (asked.late) throw new IssueError({ kind: 'time', detail: '' });
        if (asked.code !== 0) {
          const fault = certbotFault(asked.output);
          if (fault.kind === 'account') await rm(join(config, 'accounts'), { recursive: true, force: true });
          throw new IssueError(fault);
        }
        const text = issuedPairText(directoryOf(authority), await readFile(chain, 'utf8'), await readFile(key, 'utf8'));
        const pair = readIssuedPair(pairFile(name), text, name);
        if (pair === null) throw new IssueError({ kind: 'other', detail: 'The certificate is not for this name.' });
        signal.throwIfAborted();
        await mkdir(join(pairs, directoryName(name)), { recursive: true, mode: 0o700 });
        await replaceFile(pairFile(name), text);
        return pair;
      } catch (error) {
        if (error instanceof IssueError || signal.aborted || !(error instanceof Error)) throw error;
        throw new IssueError({ kind: isDiskFull(error) ? 'disk' : 'other', detail: error.message });
      } finally {
        await rm(workshop, { recursive: true, force: true });
        await removeProofs();
      }
    },
    keepOnly: (domains) => keepDirectories(pairs, domains),
  };
}

/** A new key, and a request to have it certified for the name. The name has passed `normalName`. */
async function writeRequest(
  { name, key, request, settings }: { name: string; key: string; request: string; settings: string },
  signal: AbortSignal,
): Promise<void> {
  const text = `[req]\nprompt = no\ndistinguished_name = subject\nreq_extensions = extensions\n[subject]\n[extensions]\nsubjectAltName = DNS:${name}\n`;
  await writeFile(settings, text, { mode: 0o600 });
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key];
  const asked = ['req', '-new', '-batch', '-sha256', '-config', settings, '-subj', '/', ...curve, '-out', request];
  const { code, output } = await run('openssl', asked, { env: process.env, limitMs: OPENSSL_LIMIT_MS, signal });
  if (code !== 0) throw new IssueError(certbotFault(output));
}

/** Only what certbot needs: the gateway's own environment may hold secrets. */
function environment(home: string): NodeJS.ProcessEnv {
  const passed = PASSED_ON.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  return {
    // Settings and caches of the account that runs the gateway are another one's.
    HOME: home,
    LANG: 'C.UTF-8',
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/snap/bin',
    ...Object.fromEntries(passed),
  };
}

/** Fulfilled only when the program is gone, so that anyone who comes next finds no lock of it. */
function run(
  binary: string,
  args: readonly string[],
  { env, limitMs, signal }: { env: NodeJS.ProcessEnv; limitMs: number; signal: AbortSignal },
): Promise<{ code: number; output: string; late: boolean }> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const how = { env, cwd: '/', timeout: limitMs, killSignal: 'SIGKILL', maxBuffer: 1 << 20 } as const;
    const child = execFile(binary, args, how, (error, stdout, stderr) => {
      signal.removeEventListener('abort', end);
      const output = `${stdout}\n${stderr}`;
      if (signal.aborted) reject(signal.reason as Error);
      else if (error === null) resolve({ code: 0, output, late: false });
      // A word instead of a number: the program could not be run at all.
      else if (typeof error.code === 'string') reject(error);
      else resolve({ code: error.code ?? -1, output, late: error.killed === true });
    });
    const end = (): void => void child.kill('SIGKILL');
    signal.addEventListener('abort', end);
  });
}

const END_LIMIT_MS = 2000;
const POLL_MS = 20;

/**
 * Ends what an earlier gateway left running when it was killed: a certbot with this option holds the locks of the
 * directory that the option names, below `directory`.
 */
export async function endCertbots(option: string, directory: string): Promise<void> {
  const left = certbotsWith(option, directory);
  for (const pid of left) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
  for (let waited = 0; waited < END_LIMIT_MS && certbotsWith(option, directory).length > 0; waited += POLL_MS)
    await delay(POLL_MS);
}

/** The processes that have this among their arguments and mean our directory; none where the machine has no list of them. */
export function certbotsWith(option: string, directory: string): number[] {
  return processes().filter(
    (pid) => pid !== process.pid && argumentsOf(pid).includes(option) && worksHere(pid, directory),
  );
}

function processes(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function argumentsOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
