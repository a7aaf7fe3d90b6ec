import { jwtVerify } from 'jose';
import type { Secret } from '../vault/secret.ts';

/** The first part of each such token, which Wiredoor leaves out. */
const HEADER = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url');
const TOKEN_MAX_CHARS = 1000;
const TOKEN = /^[\w-]+\.[\w-]+$/;

/** Reads access tokens that a Wiredoor server signed with this key: which number it gave one; null: it is none of them. */
export function createWiredoorTokens(key: Secret): (token: string) => Promise<number | null> {
  const bytes = new TextEncoder().encode(key.reveal());
  return async (token) => {
    if (token.length > TOKEN_MAX_CHARS || !TOKEN.test(token)) return null;
    try {
      const { payload } = await jwtVerify(`${HEADER}.${token}`, bytes, { algorithms: ['HS256'] });
      const { id, type } = payload;
      // Its administrators' sessions were signed with the same key.
      return type === 'client' && Number.isSafeInteger(id) ? Number(id) : null;
    } catch {
      return null;
    }
  };
}
