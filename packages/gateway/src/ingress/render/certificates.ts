import { attempt } from '../../rules/attempt.ts';
import { type ConfigText, mapKey, quoted, serverName } from './configText.ts';
import type { CertificateFiles, DesiredDomain } from './desiredState.ts';

/** The certificates of the servers for visitors: all that stand in one place, and how each server gets its own. */
export type ServerCertificates = {
  /** The texts that the default server refers to; null: all refer to files alone. */
  texts: ((out: ConfigText) => void) | null;
  /** The certificate of one domain's server. @throws {UnquotableError} */
  write(out: ConfigText, domain: DesiredDomain): void;
  /** The certificate of the default server. */
  writeDefault(out: ConfigText): void;
};

/**
 * OpenSSL 3.0 takes about two milliseconds of a core to read a key. nginx reads all keys at each reload, so with many
 * domains that is most of a reload; from so many on it has the keys as text instead, and reads one when a visitor begins
 * a connection. That costs the visitor a millisecond, so a few domains are better read at the reload.
 *
 * Only the default server says where the texts are. A server that has no certificate leaves a connection with the one
 * that it began with, and so nginx makes what OpenSSL needs for a server once instead of for each domain, which was a
 * third of a reload. A session of TLS 1.2 may be taken up again under another name here: no one is known by it.
 */
const TEXT_FROM_DOMAINS = 17;

/** nginx takes parameters of at most 4096 bytes. */
const PART_CHARS = 3000;
const PART_NAME = '$domain_certificate_';

/** @param own the certificate for anyone who asks for no domain */
export function planCertificates(domains: readonly DesiredDomain[], own: CertificateFiles): ServerCertificates {
  const written = domains.flatMap((domain) => {
    const parts = domain.closed || !isName(domain.domain) ? null : partsOf(domain.certificate);
    return parts === null ? [] : [{ domain, parts }];
  });
  const ownParts = partsOf(own);
  if (written.length < TEXT_FROM_DOMAINS || ownParts === null) {
    const write = (out: ConfigText, domain: DesiredDomain): void =>
      writeCertificate(out, domain.closed ? own : domain.certificate);
    return { texts: null, write, writeDefault: (out) => writeCertificate(out, own) };
  }
  const byText = new Set(written.map(({ domain }) => domain.id));
  const count = Math.max(ownParts.length, ...written.map(({ parts }) => parts.length));
  const names = Array.from({ length: count }, (_, index) => `${PART_NAME}${index}`);
  return {
    texts: (out) => {
      for (const [index, name] of names.entries()) {
        out.block(`map $ssl_server_name ${name}`, () => {
          out.line(`default ${partText(ownParts[index])}`);
          // Also where it has no such part: it would get the one of the gateway's.
          for (const { domain, parts } of written) out.line(`${mapKey(domain.domain)} ${partText(parts[index])}`);
        });
      }
    },
    write: (out, domain) => {
      if (!domain.closed && !byText.has(domain.id)) writeCertificate(out, domain.certificate);
    },
    writeDefault: (out) => {
      const text = `"data:${names.join('')}"`;
      out.line(`ssl_certificate ${text}`);
      out.line(`ssl_certificate_key ${text}`);
    },
  };
}

/** The text of a pair in parts that nginx takes; null when it is not known. */
function partsOf({ pem }: CertificateFiles): string[] | null {
  // Only what stands between the marks, and only characters that mean nothing to nginx.
  const blocks = pem?.reveal().match(/-----BEGIN [A-Z ]+-----\n[A-Za-z0-9+/=\n]+-----END [A-Z ]+-----/g) ?? [];
  if (blocks.length < 2) return null;
  return `${blocks.join('\n')}\n`.match(new RegExp(`[^]{1,${PART_CHARS}}`, 'g'));
}

const partText = (part = ''): string => `"${part.replaceAll('\n', String.raw`\n`)}"`;

const isName = (domain: string): boolean =>
  attempt(
    () => serverName(domain),
    () => undefined,
  ) !== null;

/**
 * What TLS with visitors is made of.
 * @param cache the name of the memory in which workers share sessions; HTTP and streams cannot share one
 */
export function writeTls(out: ConfigText, cache: string): void {
  out.line('ssl_protocols TLSv1.2 TLSv1.3');
  out.line(
    'ssl_ciphers ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305',
  );
  // OpenSSL's own list has groups of 8192 bits that a visitor could choose, a seventh of a second for each handshake.
  out.line('ssl_ecdh_curve X25519:prime256v1:secp384r1:secp521r1');
  // Sessions survive a reload in the shared cache. The keys of tickets would not, and they weaken forward secrecy.
  out.line(`ssl_session_cache shared:${cache}:10m`);
  out.line('ssl_session_timeout 1d');
  out.line('ssl_session_tickets off');
}

/** The certificate of one server. */
export function writeCertificate(out: ConfigText, { certificate, key }: CertificateFiles): void {
  out.line(`ssl_certificate ${quoted(certificate)}`);
  out.line(`ssl_certificate_key ${quoted(key)}`);
}
