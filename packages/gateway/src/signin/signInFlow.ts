import { createCipheriv, createDecipheriv, createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A sign-in on its way: between leaving for the provider and coming back. */
export type Flow = {
  domainId: number;
  /** The path that the visitor asked for. */
  wanted: string;
  nonce: string;
  /** Of PKCE. */
  verifier: string;
};

/** How long a visitor may take at the provider. */
export const FLOW_SECONDS = 10 * 60;
/** So many tabs of a browser can be on their way at once; nginx reads as many cookies (`ingress/render/signIn.ts`). */
const SLOTS = 4;
/** A provider takes each code once as well, so the oldest may be forgotten under a flood. */
const MAX_SPENT = 100_000;

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const SECRET_BYTES = 32;

type Sealed = Flow & { secretHash: string; until: number };

/**
 * Sign-ins on their way. What is known of each travels along as `state`, sealed; its secret stays in the browser that
 * began it. The key lives as long as the gateway: a visitor who is on the way when it is started again begins once more.
 */
export function createFlows(now: () => Date) {
  const key = randomBytes(KEY_BYTES);
  /** The nonces of flows that came back, and until when they would count. */
  const spent = new Map<string, number>();
  let begun = 0;

  /** Returns whether it was spent before. */
  function spend({ nonce, until }: Sealed): boolean {
    for (const [old, end] of spent) {
      if (end > now().getTime() && spent.size < MAX_SPENT) break;
      spent.delete(old);
    }
    const before = spent.has(nonce);
    spent.set(nonce, until);
    return before;
  }

  return {
    /**
     * The digit of the cookie for a new sign-in; null: there is none that would not put out another one of that browser.
     * They are taken in turn: pages that a browser opens at once know nothing of each other's cookies yet.
     * @param browser.used the digits of the cookies that it has
     * @param browser.mayReplace whether one of these may be replaced
     */
    slotFor({ used, mayReplace }: { used: string; mayReplace: boolean }): string | null {
      const turn = begun++;
      const slots = Array.from({ length: SLOTS }, (_, index) => String((turn + index) % SLOTS));
      return slots.find((slot) => !used.includes(slot)) ?? (mayReplace ? (slots[0] ?? null) : null);
    },
    /** The `state` to send along, and the cookie of that digit, with a new secret, to leave in the browser. */
    begin(flow: Flow, slot: string): { state: string; cookie: string; secret: string } {
      const secret = randomBytes(SECRET_BYTES).toString('base64url');
      const until = now().getTime() + FLOW_SECONDS * 1000;
      const sealed: Sealed = { ...flow, secretHash: hashOf(secret).toString('base64url'), until };
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
      const bytes = [iv, cipher.update(JSON.stringify(sealed), 'utf8'), cipher.final()];
      const state = `${slot}${Buffer.concat([...bytes, cipher.getAuthTag()]).toString('base64url')}`;
      return { state, cookie: cookieOf(slot), secret };
    },
    /**
     * Reads a `state` that came back, which counts only once, whichever browser brings it first. Null: it is not ours, or
     * too old. `isBound` says whether it counts: it comes for the first time, and with the secret of its own cookie.
     */
    finish(state: string, secret: string): { flow: Flow; cookie: string; isBound: boolean } | null {
      const sealed = unseal(key, state.slice(1));
      if (sealed === null || sealed.until <= now().getTime()) return null;
      const { secretHash, until: _, ...flow } = sealed;
      const isOwn = timingSafeEqual(hashOf(secret), Buffer.from(secretHash, 'base64url'));
      return { flow, cookie: cookieOf(state.slice(0, 1)), isBound: !spend(sealed) && isOwn };
    },
  };
}

/** Null: it was not sealed with this key. */
function unseal(key: Buffer, text: string): Sealed | null {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length < IV_BYTES + TAG_BYTES) return null;
  try {
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    const read = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
    return JSON.parse(read.toString('utf8')) as Sealed;
  } catch {
    return null;
  }
}

const cookieOf = (slot: string): string => `__Host-sallyport_flow${slot}`;

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();

const MAX_CHARS = 2000;

/**
 * Where a visitor goes after signing in: a path of the domain itself, else its front page. What a browser might take for
 * another site, or what leads back here, is no such path.
 */
export function returnPath(wanted: string | null): string {
  if (wanted === null || wanted.length > MAX_CHARS || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(wanted)) return '/';
  return leadsHere(wanted) ? '/' : wanted;
}

/** Whether it arrives at the gateway's own pages, once a browser has taken the dots out and nginx has read it. */
function leadsHere(path: string): boolean {
  const { pathname } = new URL(path, 'https://own.invalid');
  const read = pathname.replaceAll(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
  return /^\/+\.sallyport(?:\/|$)/.test(read);
}
