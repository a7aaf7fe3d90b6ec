import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { type X509Certificate, createHash } from 'node:crypto';

const digitsOf = (fingerprint: string): string => fingerprint.replaceAll(':', '').toUpperCase();

/** The SHA-256 of a certificate's public key, 64 digits in upper case: it stays when the certificate is renewed. */
export const keyPin = ({ publicKey }: X509Certificate): string =>
  digitsOf(
    createHash('sha256')
      .update(publicKey.export({ type: 'spki', format: 'der' }))
      .digest('hex'),
  );

/** The SHA-256 of a certificate, 64 digits in upper case, as browsers and the gateway's start message show it. */
export const certificatePin = ({ fingerprint256 }: X509Certificate): string => digitsOf(fingerprint256);

/** Whether a certificate is the one that a pin stands for: the pin is that of its key, or of the certificate itself. */
export const isPinned = (certificate: X509Certificate, pin: string): boolean =>
  pin === keyPin(certificate) || pin === certificatePin(certificate);

const HANDSHAKE_MS = 10_000;

/** What a server shows of itself in a TLS handshake. */
export type ShownCertificate = {
  /** SHA-256, 64 digits in upper case. */
  fingerprint: string;
  /** SHA-256 of its public key, likewise. */
  keyPin: string;
  /** Why this machine does not trust it, as a code of Node's TLS; null: it does. */
  refused: string | null;
  validUntil: Date;
};

/** Reads the certificate of an https address. Nothing is sent to the server; an error is that of the connection. */
export function shownCertificate(url: string, signal: AbortSignal): Promise<ShownCertificate> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port: Number(port || 443),
      servername: isIP(host) ? '' : host,
      rejectUnauthorized: false,
      timeout: HANDSHAKE_MS,
    });
    const interrupted = () => socket.destroy(new Error('Interrupted'));
    const end = () => signal.removeEventListener('abort', interrupted);
    signal.addEventListener('abort', interrupted, { once: true });
    socket.once('error', (error) => {
      end();
      reject(error);
    });
    socket.once('timeout', () => socket.destroy(new Error(`No answer within ${HANDSHAKE_MS / 1000} s`)));
    socket.once('secureConnect', () => {
      end();
      const certificate = socket.getPeerX509Certificate();
      const code: unknown = socket.authorizationError;
      socket.destroy();
      if (!certificate) {
        reject(new Error('It shows no certificate'));
        return;
      }
      resolve({
        fingerprint: certificatePin(certificate),
        keyPin: keyPin(certificate),
        refused: typeof code === 'string' ? code : code instanceof Error ? code.message : null,
        validUntil: new Date(certificate.validTo),
      });
    });
  });
}
