import { isLoopbackHost } from '@sallyport/sdk/rules';
import { Failure } from './failure.ts';

const EXAMPLE = 'Give one like https://gateway.example.com:9443.';

/** Understands the address of a gateway as people type it; without a scheme it is HTTPS. No trailing slash. */
export function gatewayUrl(text: string): string {
  const typed = text.trim();
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(typed) ? typed : `https://${typed}`);
  if (typed === '' || url === null) throw new Failure('usage', `"${typed}" is not the address of a gateway.`, EXAMPLE);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new Failure('usage', `A gateway is reached by https, not by ${url.protocol.slice(0, -1)}.`, EXAMPLE);
  }
  if (url.username || url.password) {
    throw new Failure(
      'usage',
      'The address of the gateway holds a user name or a password.',
      'Leave it out: sign-in asks for it.',
    );
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

/** Whether what is sent to this address could be read on the way. */
export function isExposed(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isLoopbackHost(hostname);
}

/** Understands a SHA-256 fingerprint, with or without colons and a leading `SHA256:`; 64 digits in upper case. */
export function pinOf(text: string): string {
  const digits = text
    .trim()
    .replace(/^sha-?256[:=\s]\s*/i, '')
    .replaceAll(':', '')
    .toUpperCase();
  if (/^[0-9A-F]{64}$/.test(digits)) return digits;
  throw new Failure(
    'usage',
    '--pin takes the SHA-256 of a certificate, 64 hexadecimal digits.',
    'The gateway prints it when it starts.',
  );
}
