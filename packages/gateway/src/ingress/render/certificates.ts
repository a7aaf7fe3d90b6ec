import { UnquotableError } from '../../rules/attempt.ts';
import type { ConfigText } from './configText.ts';
import type { CertificateFiles, DesiredDomain } from './desiredState.ts';
import { mapKey, serverName } from './text.ts';
import { writeCertificate } from './tls.ts';

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
 * third of a reload. OpenSSL itself keeps the sessions of one name from those of another.
 */
const TEXT_FROM_DOMAINS = 17;

/** nginx takes parameters of at most 4096 bytes. */
const PART_CHARS = 3000;
const PART_NAME = '$domain_certificate_';

/** @param own the gateway's own certificate, for anyone who asks for no domain */
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

function isName(domain: string): boolean {
  try {
    serverName(domain);
    return true;
  } catch (error) {
    if (error instanceof UnquotableError) return false;
    throw error;
  }
}
