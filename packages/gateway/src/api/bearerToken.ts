import { hash, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;
/** What the tokens of administrators begin with. */
export const SESSION_TOKEN = 'sps_';

/** A new opaque token; the prefix tells people and secret scanners what it is. */
export const newToken = (prefix: typeof SESSION_TOKEN | 'spn_'): string =>
  prefix + randomBytes(SECRET_BYTES).toString('base64url');

/** What is stored of a token. It is random, so a plain hash cannot be turned back by guessing. */
export const hashOfToken = (token: string): string => hash('sha256', token);
