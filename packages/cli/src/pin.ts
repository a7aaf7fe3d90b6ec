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
