import type { SslKind } from '@sallyport/sdk/contract';

/** What the kinds of certificate are called. */
export const sslName: Record<SslKind, string> = { 'self-signed': 'Self Signed', certbot: "Let's Encrypt" };
