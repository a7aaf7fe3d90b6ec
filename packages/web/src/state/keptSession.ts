import { createStore as openDatabase, del, get, set } from 'idb-keyval';

/** A session as this browser keeps it. */
export type KeptSession = {
  /** Where there is a key, it works with that alone. */
  token: string;
  /** Null: the token works by itself, and is never kept. */
  key: OwnKey | null;
  /** When the gateway ends it by itself, in milliseconds since 1970. */
  endsAt: number;
};

/** Where a session outlives a reload, for the tabs of this origin alone (scheme, host and port). */
export type SessionKeeper = {
  /** Null: there is none. */
  read: () => Promise<KeptSession | null>;
  /** Keeps a session in the place of any other; one that cannot be kept lasts until its tab is closed. */
  write: (session: KeptSession) => Promise<void>;
  /** Forgets the session of that token; another one that has taken its place stays. */
  remove: (token: string) => Promise<void>;
};

const KEY = 'session';

/** Keeps the session in the browser's database, the only place that can hold a key which no script can read. */
export function createSessionKeeper(): SessionKeeper {
  const database = openDatabase('sallyport', 'session');
  const read = () => unlessForbidden(async () => (await get<KeptSession>(KEY, database)) ?? null);
  return {
    read,
    async write(session) {
      // A token that works without a key is not left lying about.
      if (session.key !== null) await unlessForbidden(() => set(KEY, session, database));
    },
    async remove(token) {
      if ((await read())?.token === token) await unlessForbidden(() => del(KEY, database));
    },
  };
}

/** A private window may have no database; nothing has been kept then. */
async function unlessForbidden<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch {
    return null;
  }
}

/** A key that this browser alone can use: what signs cannot be read, not even by the console. */
export type OwnKey = {
  privateKey: CryptoKey;
  /** As it is given to the gateway at sign-in. */
  publicKey: { kty: 'EC'; crv: 'P-256'; x: string; y: string };
};

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' } as const;

/** Makes a key; null where the browser gives a page none, as over plain HTTP to another machine. */
export async function createOwnKey(): Promise<OwnKey | null> {
  try {
    const { privateKey, publicKey } = await crypto.subtle.generateKey(ALGORITHM, false, ['sign']);
    const { x = '', y = '' } = await crypto.subtle.exportKey('jwk', publicKey);
    return { privateKey, publicKey: { kty: 'EC', crv: 'P-256', x, y } };
  } catch {
    return null;
  }
}

/** The request that a proof is for. */
export type ProvedRequest = { method: string; url: string; token: string; at: Date };

/** The header `DPoP` of one request (RFC 9449). */
export async function proofOf({ privateKey, publicKey }: OwnKey, request: ProvedRequest): Promise<string> {
  const { method, url, token, at } = request;
  const header = { typ: 'dpop+jwt', alg: 'ES256', jwk: publicKey };
  const claims = {
    jti: crypto.randomUUID(),
    htm: method,
    htu: url.replace(/[?#].*$/s, ''),
    iat: Math.floor(at.getTime() / 1000),
    ath: encoded(await crypto.subtle.digest('SHA-256', bytesOf(token))),
  };
  const signed = [header, claims].map((part) => encoded(bytesOf(JSON.stringify(part)))).join('.');
  return `${signed}.${encoded(await crypto.subtle.sign(SIGNATURE, privateKey, bytesOf(signed)))}`;
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** As base64url. */
const encoded = (bytes: ArrayBuffer | Uint8Array): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** What a tab tells the others of its origin about the session. */
export type TabMessage = { kind: 'started' } | { kind: 'ended'; token: string; why: string | null };

/** The other tabs of this origin that show the console. */
export type OtherTabs = {
  tell: (message: TabMessage) => void;
  listen: (listener: (message: TabMessage) => void) => void;
};

const NAME = 'sallyport-session';

/** The browser's own way between tabs. */
export function createOtherTabs(): OtherTabs {
  const channel = new BroadcastChannel(NAME);
  return {
    tell: (message) => channel.postMessage(message),
    listen: (listener) => {
      channel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => listener(data));
    },
  };
}
