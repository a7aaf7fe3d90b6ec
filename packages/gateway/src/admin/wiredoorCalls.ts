import { request } from 'node:http';
import { isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { StartError, UsageError } from '../machine/startError.ts';
import { printable } from '@sallyport/sdk/lines';
import { Secret } from '../vault/secret.ts';

/** Where a Wiredoor server is, and by what it is known. */
export type WiredoorAddress = {
  /** The address of its console; https alone. */
  url: URL;
  /** The SHA-256 of its certificate, 64 digits in upper case; null: an authority vouches for it. */
  pin: string | null;
  /** How long an answer may take, in milliseconds. */
  limitMs?: number;
};

/** What its administrator has: a token of its console, or the name and the password. */
export type WiredoorLogin = Secret | { username: string; password: Secret };

/** Reads of its API as its administrator. */
export type WiredoorCalls = { list(path: string): Promise<Record<string, unknown>[]> };

const CALL_MAX_MS = 30_000;
const REPLY_MAX_BYTES = 16 * 1024 * 1024;
const ROWS_MAX = 10_000;
const SAID_MAX_CHARS = 200;
/** It becomes a header. */
const TOKEN = /^[\w.~+/=-]{1,8000}$/;

/**
 * Understands what an administrator says of a Wiredoor server.
 * @throws {UsageError}
 */
export function wiredoorAddress(text: string, pinText: string | undefined): WiredoorAddress {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.protocol !== 'https:' || url.username !== '' || url.search !== '') {
    throw new UsageError('The address of a Wiredoor server is https://HOST, without a password in it.');
  }
  const pin = pinText?.replaceAll(/^sha-?256[:=\s]|:/gi, '').toUpperCase() ?? null;
  if (pin !== null && !/^[0-9A-F]{64}$/.test(pin)) {
    throw new UsageError('--pin takes the SHA-256 of a certificate, 64 hexadecimal digits, as browsers show it.');
  }
  return { url, pin };
}

/**
 * Signs in to the API of a Wiredoor server. What it answers is that of a foreign machine.
 * @throws {StartError} when it cannot be reached, is another one, or refuses the login
 */
export async function openWiredoorCalls(address: WiredoorAddress, login: WiredoorLogin): Promise<WiredoorCalls> {
  const token = login instanceof Secret ? login : await signIn(address, login);
  if (!TOKEN.test(token.reveal())) throw new StartError('That is no token of a Wiredoor server.');
  return {
    async list(path) {
      const reply = await call(address, { path: `${path}?limit=${ROWS_MAX}`, token });
      const rows = isObject(reply) ? reply['data'] : reply;
      if (!Array.isArray(rows) || !rows.every(isObject)) throw strange(path);
      const total = isObject(reply) ? Number(reply['total'] ?? rows.length) : rows.length;
      if (rows.length > ROWS_MAX || total > rows.length) throw strange(path);
      return rows;
    },
  };
}

async function signIn(
  address: WiredoorAddress,
  { username, password }: Exclude<WiredoorLogin, Secret>,
): Promise<Secret> {
  const path = '/api/auth/login';
  const reply = await call(address, { path, body: { username, password: password.reveal() } });
  const token = isObject(reply) ? reply['token'] : undefined;
  if (typeof token !== 'string') throw strange(path);
  return new Secret(token);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const strange = (path: string): StartError => new StartError(`What answers at ${path} is no Wiredoor server.`);

type Call = { path: string; token?: Secret; body?: object };

async function call(address: WiredoorAddress, { path, token, body }: Call): Promise<unknown> {
  const { limitMs = CALL_MAX_MS } = address;
  const signal = AbortSignal.timeout(limitMs);
  const { host } = address.url;
  try {
    const { status, text } = await exchange(address, { path, signal, ...(token && { token }), ...(body && { body }) });
    if (status === 401 || status === 403) {
      throw new StartError(`${host} does not accept the ${body === undefined ? 'token' : 'name and password'}.`);
    }
    if (status === 429) throw new StartError(`${host} takes five logins in ten minutes. Try again later.`);
    if (status !== 200) throw new StartError(`${host} answered ${path} with the status ${status}.`);
    return parsed(path, text);
  } catch (error) {
    if (error instanceof StartError) throw error;
    const said = signal.aborted
      ? `no whole answer within ${limitMs / 1000} seconds`
      : error instanceof Error
        ? error.message
        : String(error);
    throw new StartError(`${host} cannot be asked: ${printable(said.slice(0, SAID_MAX_CHARS))}.`, { cause: error });
  }
}

function parsed(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw strange(path);
  }
}

/** One request on a connection of its own, whose certificate is known before anything is sent. */
async function exchange(
  { url, pin }: WiredoorAddress,
  { path, token, body, signal }: Call & { signal: AbortSignal },
): Promise<{ status: number; text: string }> {
  const socket = await connected(url, pin, signal);
  const sent = body === undefined ? '' : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const asked = request({
      createConnection: () => socket,
      method: body === undefined ? 'GET' : 'POST',
      path,
      signal,
      headers: {
        host: url.host,
        accept: 'application/json',
        connection: 'close',
        ...(token !== undefined && { authorization: `Bearer ${token.reveal()}` }),
        ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) }),
      },
    });
    asked.once('error', reject).once('response', (reply) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      reply.on('data', (part: Buffer) => {
        parts.push(part);
        if ((bytes += part.length) > REPLY_MAX_BYTES) reply.destroy(new Error('its answer is too long'));
      });
      reply.once('error', reject);
      reply.once('end', () => resolve({ status: reply.statusCode ?? 0, text: Buffer.concat(parts).toString('utf8') }));
    });
    asked.end(sent);
  });
}

function connected({ hostname, port }: URL, pin: string | null, signal: AbortSignal): Promise<TLSSocket> {
  const host = hostname.replaceAll(/[[\]]/g, '');
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port: Number(port || 443),
      servername: isIP(host) ? '' : host,
      // It is looked at below, so that its SHA-256 can be said.
      rejectUnauthorized: false,
    });
    const giveUp = (): void => void socket.destroy(new Error('it takes too long'));
    signal.addEventListener('abort', giveUp, { once: true });
    socket.once('close', () => signal.removeEventListener('abort', giveUp));
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      const shown = socket.getPeerX509Certificate()?.fingerprint256.replaceAll(':', '') ?? 'none';
      if (pin === null ? socket.authorized : shown === pin) {
        resolve(socket);
        return;
      }
      const why =
        pin === null
          ? `is not trusted (${String(socket.authorizationError)}). If its SHA-256 on that server is ${shown}, name it with --pin`
          : `is not the pinned one, but ${shown}`;
      socket.destroy();
      reject(new StartError(`Nothing was sent: the certificate of ${host} ${printable(why)}.`));
    });
  });
}
