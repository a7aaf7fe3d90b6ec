import { execFileSync, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { freePorts } from './freePorts.ts';

/** A certificate authority on loopback (Debian's pebble), with a name service of its own. */
export type CertificateAuthority = {
  /** The address of its directory. */
  directory: string;
  /** The file of the certificate that vouches for the authority's own address. */
  caFile: string;
  /** The root of the certificates that it issues, in PEM; another one each time it is started. */
  root(): Promise<string>;
  /** Where a name leads from now on; null: it is not known. All lead to 127.0.0.1 unless it is said. */
  lead(name: string, address: string | null): void;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Takes questions and answers none, until it goes on. */
  pause(): void;
  goOn(): void;
  close(): Promise<void>;
};

export type CertificateAuthorityOptions = {
  /** Where it asks for proofs instead of port 80. */
  httpPort: number;
  /** How long its certificates are valid. */
  validSeconds?: number;
};

const START_LIMIT_MS = 30_000;
const POLL_MS = 50;
const DAY_SECONDS = 86_400;
const LOOPBACK = '127.0.0.1';
const HEADER_BYTES = 12;
const TYPE_A = 1;
const [ANSWERS, NO_SUCH_NAME] = [0x8180, 0x8183];

/** Opens one; it answers once it is started. */
export async function openCertificateAuthority({
  httpPort,
  validSeconds = 90 * DAY_SECONDS,
}: CertificateAuthorityOptions): Promise<CertificateAuthority> {
  const base = mkdtempSync(join(tmpdir(), 'sallyport-authority-'));
  const [caFile, key, configuration] = [join(base, 'ca.pem'), join(base, 'key.pem'), join(base, 'pebble.json')];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key, '-out', caFile];
  const names = ['-subj', '/CN=authority.test', '-addext', `subjectAltName=IP:${LOOPBACK}`];
  execFileSync('openssl', ['req', '-x509', '-days', '2', ...curve, ...names], { stdio: 'ignore' });
  const [port = 0, managementPort = 0, tlsPort = 0] = await freePorts(3);
  const pebble = {
    listenAddress: `${LOOPBACK}:${port}`,
    managementListenAddress: `${LOOPBACK}:${managementPort}`,
    certificate: caFile,
    privateKey: key,
    httpPort,
    tlsPort,
    ocspResponderURL: '',
    externalAccountBindingRequired: false,
    certificateValidityPeriod: validSeconds,
  };
  writeFileSync(configuration, JSON.stringify({ pebble }));
  const nameService = await openNames();
  let child: ReturnType<typeof spawn> | null = null;

  const get = async (address: string): Promise<string> => {
    const sent = request(address, { ca: readFileSync(caFile), agent: false }).end();
    const [response] = (await once(sent, 'response')) as [Parameters<typeof text>[0]];
    return text(response);
  };
  const directory = `https://${LOOPBACK}:${port}/dir`;
  const stop = async (): Promise<void> => {
    if (child === null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    child = null;
  };
  return {
    directory,
    caFile,
    root: () => get(`https://${LOOPBACK}:${managementPort}/roots/0`),
    lead: nameService.lead,
    async start() {
      child = spawn('pebble', ['-config', configuration, '-dnsserver', `${LOOPBACK}:${nameService.port}`], {
        stdio: 'ignore',
        // Without its own delays; a proof counts once, but for one order in a hundred (see forgetAccount).
        env: {
          PATH: process.env['PATH'],
          PEBBLE_VA_NOSLEEP: '1',
          PEBBLE_AUTHZREUSE: '0',
          // Debian's certbot trips over a rejected nonce; it is asked again after a minute, for which no test waits.
          PEBBLE_WFE_NONCEREJECT: '0',
        },
      });
      const limit = Date.now() + START_LIMIT_MS;
      for (;;) {
        const answer = await get(directory).catch(() => null);
        if (answer !== null) return;
        if (Date.now() > limit) throw new Error('pebble did not start');
        await delay(POLL_MS);
      }
    },
    stop,
    pause: () => void child?.kill('SIGSTOP'),
    goOn: () => void child?.kill('SIGCONT'),
    async close() {
      await stop();
      nameService.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

/**
 * Has the certbot that keeps its files below this directory register another account at its next order. Pebble takes an
 * account's earlier proof again in one order of a hundred, even when it is told never to; a new account has none.
 */
export function forgetAccount(directory: string): void {
  rmSync(join(directory, 'certbot', 'config', 'accounts'), { recursive: true });
}

/** A name service that answers for the authority alone (RFC 1035, section 4). */
async function openNames() {
  const leads = new Map<string, string | null>();
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const labels: string[] = [];
    let at = HEADER_BYTES;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('ascii', at + 1, at + 1 + length));
      at += length + 1;
    }
    const type = query.readUInt16BE(at + 1);
    const lead = leads.get(labels.join('.').toLowerCase());
    const found = lead === null || type !== TYPE_A ? null : (lead ?? LOOPBACK);
    const header = Buffer.alloc(HEADER_BYTES);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(lead === null ? NO_SUCH_NAME : ANSWERS, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(found === null ? 0 : 1, 6);
    // The name of the question, type A, class IN, a second, four bytes.
    const answer = [0xc0, HEADER_BYTES, 0, TYPE_A, 0, 1, 0, 0, 0, 1, 0, 4, ...(found ?? '').split('.').map(Number)];
    const question = query.subarray(HEADER_BYTES, at + 5);
    socket.send(Buffer.concat([header, question, Buffer.from(found === null ? [] : answer)]), port, address);
  });
  socket.bind(0, LOOPBACK);
  await once(socket, 'listening');
  return {
    port: socket.address().port,
    lead: (name: string, address: string | null) => void leads.set(name, address),
    close: () => void socket.close(),
  };
}

/** A key of RSA and its certificate, as old backends have them: the Diffie-Hellman key exchange needs one. */
export function rsaPair(): { key: Buffer; cert: Buffer } {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-rsa-'));
  try {
    const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
    const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=backend.test'];
    execFileSync('openssl', [...made, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    return { key: readFileSync(key), cert: readFileSync(cert) };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
