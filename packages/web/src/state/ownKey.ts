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
