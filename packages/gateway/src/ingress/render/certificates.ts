import { type ConfigText, quoted } from './configText.ts';
import type { CertificateFiles } from './desiredState.ts';

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
  // The keys of tickets would be as old as the generation, and weaken forward secrecy.
  out.line(`ssl_session_cache shared:${cache}:10m`);
  out.line('ssl_session_timeout 1d');
  out.line('ssl_session_tickets off');
}

/** The certificate of one server. */
export function writeCertificate(out: ConfigText, { certificate, key }: CertificateFiles): void {
  out.line(`ssl_certificate ${quoted(certificate)}`);
  out.line(`ssl_certificate_key ${quoted(key)}`);
}
