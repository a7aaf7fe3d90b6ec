import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** A sign-in on its way: between leaving for the provider and coming back. */
export type Flow = {
  domainId: number;
  /** The path that the visitor asked for. */
  wanted: string;
  nonce: string;
  /** Of PKCE. */
  verifier: string;
};

/** Makes the `state` that travels along, and reads it when it comes back. */
export type FlowSeal = {
  /** @param browser what only the visitor's own browser knows */
  seal(flow: Flow, browser: string): string;
  /** Null: it is not ours, not this browser's, or too old. */
  open(state: string, browser: string): Flow | null;
};

/** How long a visitor may take at the provider. */
export const FLOW_SECONDS = 15 * 60;

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The key lives as long as the gateway: who is under way when it is started again begins once more. */
export function createFlowSeal(now: () => Date): FlowSeal {
  const key = randomBytes(KEY_BYTES);
  return {
    seal(flow, browser) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES }).setAAD(browserHash(browser));
      const text = JSON.stringify({ ...flow, until: now().getTime() + FLOW_SECONDS * 1000 });
      const sealed = [iv, cipher.update(text, 'utf8'), cipher.final()];
      return Buffer.concat([...sealed, cipher.getAuthTag()]).toString('base64url');
    },
    open(state, browser) {
      const bytes = Buffer.from(state, 'base64url');
      if (bytes.length < IV_BYTES + TAG_BYTES) return null;
      try {
        const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
        decipher.setAAD(browserHash(browser)).setAuthTag(bytes.subarray(-TAG_BYTES));
        const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
        const { until, ...flow } = JSON.parse(text.toString('utf8')) as Flow & { until: number };
        return until > now().getTime() ? flow : null;
      } catch {
        return null;
      }
    },
  };
}

const browserHash = (browser: string): Buffer => createHash('sha256').update(browser).digest();
