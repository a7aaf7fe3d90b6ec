import type { ConfigText } from './configText.ts';
import type { DesiredDomain } from './desiredState.ts';
import { serverName, UnquotableError } from './nginxText.ts';
import { writeCertificate } from './nginxTls.ts';

/** The certificates of the domains: all that stand in one place, and how each server gets its own. */
export type DomainCertificates = {
  /** The texts that servers refer to; null: they refer to files alone. */
  texts: ((out: ConfigText) => void) | null;
  /** The certificate of one domain's server. @throws {UnquotableError} */
  write(out: ConfigText, domain: DesiredDomain): void;
};

/**
 * OpenSSL 3.0 takes about two milliseconds of a core to read a key. nginx reads all keys at each reload, so with many
 * domains that is most of a reload; from so many on it has the keys as text instead, and reads one when a visitor begins
 * a connection. That costs the visitor a millisecond, so a few domains are better read at the reload.
 */
const TEXT_FROM_DOMAINS = 17;

/** nginx takes parameters of at most 4096 bytes. */
const PART_CHARS = 3000;
const PART_NAME = '$domain_certificate_';

/** What a `map` would take for something else than a key. */
const MAP_WORDS = new Set(['default', 'hostnames', 'include', 'volatile']);

export function planCertificates(domains: readonly DesiredDomain[]): DomainCertificates {
  const written = domains.flatMap((domain) => {
    const parts = domain.closed ? null : partsOf(domain);
    return parts === null ? [] : [{ domain, parts }];
  });
  if (written.length < TEXT_FROM_DOMAINS) {
    return { texts: null, write: (out, { certificate }) => writeCertificate(out, certificate) };
  }
  const byText = new Set(written.map(({ domain }) => domain.id));
  const count = Math.max(...written.map(({ parts }) => parts.length));
  const names = Array.from({ length: count }, (_, index) => `${PART_NAME}${index}`);
  return {
    texts: (out) => {
      for (const [index, name] of names.entries()) {
        out.block(`map $ssl_server_name ${name}`, () => {
          for (const { domain, parts } of written) {
            const part = parts[index];
            if (part !== undefined) out.line(`${mapKey(domain.domain)} "${part.replaceAll('\n', String.raw`\n`)}"`);
          }
        });
      }
    },
    write: (out, domain) => {
      if (!byText.has(domain.id)) return writeCertificate(out, domain.certificate);
      // The number, which OpenSSL passes over, keeps the TLS sessions of one domain from those of another.
      const text = `"data:${names.join('')}#${domain.id}"`;
      out.line(`ssl_certificate ${text}`);
      out.line(`ssl_certificate_key ${text}`);
    },
  };
}

/** The text of a pair in parts that nginx takes; null when it is not known or the domain cannot be a name. */
function partsOf({ domain, certificate }: DesiredDomain): string[] | null {
  const text = certificate.pem?.reveal();
  if (text === undefined) return null;
  try {
    serverName(domain);
  } catch (error) {
    if (error instanceof UnquotableError) return null;
    throw error;
  }
  // Only what stands between the marks, and only characters that mean nothing to nginx.
  const blocks = text.match(/-----BEGIN [A-Z ]+-----\n[A-Za-z0-9+/=\n]+-----END [A-Z ]+-----/g) ?? [];
  if (blocks.length < 2) return null;
  return `${blocks.join('\n')}\n`.match(new RegExp(`[^]{1,${PART_CHARS}}`, 'g'));
}

const mapKey = (name: string): string => (MAP_WORDS.has(name) ? `\\${name}` : name);
