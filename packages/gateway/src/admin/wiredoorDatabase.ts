import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite, { type Database } from 'better-sqlite3';
import { StartError } from '../machine/startError.ts';
import { ipv4Network, vpnSubnet } from '../rules/ipNetwork.ts';
import { isWireguardKey } from '../tunnel/render/wireguardServer.ts';
import { publicKeyOf } from '../vault/keyVault.ts';
import { Secret } from '../vault/secret.ts';

/** What is stored as JSON: a list of texts, none, or something that cannot be read and may have protected a service. */
export type StoredList = string[] | null | 'unreadable';

/** A time, `never`, or one that cannot be read. */
export type StoredTime = Date | null | 'unreadable';

export type WiredoorNode = {
  id: number;
  name: string;
  address: string;
  dns: string;
  keepalive: number;
  networks: { interface: string; subnet: string }[];
  allowInternet: boolean;
  isEnabled: boolean;
  isGateway: boolean;
  isLocal: boolean;
  /** Null: they are missing, or do not belong together. */
  keys: { publicKey: string; privateKey: Secret; presharedKey: Secret } | null;
};

export type WiredoorDomain = {
  domain: string;
  isIssued: boolean;
  skipValidation: boolean;
  /** Visitors were asked to sign in where a service wanted it. */
  hasSignIn: boolean;
  allowedEmails: StoredList;
};

type WiredoorService = {
  name: string;
  domain: string | null;
  backendHost: string | null;
  backendPort: number;
  nodeId: number;
  isEnabled: boolean;
  allowedIps: StoredList;
  blockedIps: StoredList;
  expiresAt: StoredTime;
};
export type WiredoorHttpService = WiredoorService & {
  path: string;
  scheme: string;
  requireAuth: boolean;
  skipAuthRoutes: string | null;
};
export type WiredoorTcpService = WiredoorService & { proto: string; port: number; ssl: boolean };

export type WiredoorToken = { id: number; name: string; nodeId: number; isRevoked: boolean; expiresAt: StoredTime };

/** A Wiredoor server, as its directory has it, or its API tells it. */
export type WiredoorData = {
  /** The address of the API; its keys are new ones then. Null: its files were read, and all keys are as there. */
  origin: string | null;
  server: { publicKey: string; privateKey: Secret; subnet: string; port: number };
  /** What its access tokens are signed with; null: the file is missing. */
  tokenKey: Secret | null;
  nodes: WiredoorNode[];
  domains: WiredoorDomain[];
  httpServices: WiredoorHttpService[];
  tcpServices: WiredoorTcpService[];
  tokens: WiredoorToken[];
};

type Row = Record<string, unknown>;

const DATABASE = 'db.sqlite';
const TOKEN_KEY = '.key';

/**
 * Reads the directory of a Wiredoor server, and writes nothing there: it is the way back. Columns are read by their names.
 * @throws {StartError} when it is none, or damaged
 */
export function readWiredoor(directory: string): WiredoorData {
  const file = join(directory, DATABASE);
  if (!existsSync(file)) {
    throw new StartError(
      `${file} is not there. Name the directory that Wiredoor's container has as /data, or a copy of it.`,
    );
  }
  let database: Database | null = null;
  try {
    database = new Sqlite(file, { readonly: true });
    if (database.pragma('quick_check', { simple: true }) !== 'ok') throw new Error('it is damaged');
    const keyFile = join(directory, TOKEN_KEY);
    const key = existsSync(keyFile) ? readFileSync(keyFile, 'utf8').trim() : '';
    return { ...read(database), origin: null, tokenKey: key === '' ? null : new Secret(key) };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    throw new StartError(`${file} is no database of Wiredoor that can be read (${said}).`, { cause: error });
  } finally {
    database?.close();
  }
}

function read(database: Database): Omit<WiredoorData, 'origin' | 'tokenKey'> {
  const tables = new Set(database.prepare("select name from sqlite_schema where type = 'table'").pluck().all());
  for (const table of ['wg_interfaces', 'nodes', 'http_services', 'tcp_services']) {
    if (!tables.has(table)) throw new Error(`it has no table ${table}`);
  }
  const rows = (table: string): Row[] =>
    tables.has(table) ? (database.prepare(`select * from "${table}" order by id`).all() as Row[]) : [];
  return {
    server: serverOf(database.prepare('select * from wg_interfaces').all() as Row[]),
    ...objectsOf({
      nodes: rows('nodes'),
      domains: rows('domains'),
      httpServices: rows('http_services'),
      tcpServices: rows('tcp_services'),
      tokens: rows('personal-access-tokens'),
    }),
  };
}

type Objects = Pick<WiredoorData, 'nodes' | 'domains' | 'httpServices' | 'tcpServices' | 'tokens'>;

/** Rows in words of ours. */
export function objectsOf(rows: Record<keyof Objects, Row[]>): Objects {
  return {
    nodes: rows.nodes.map(nodeOf),
    domains: rows.domains.map((row) => ({
      domain: textOf(row['domain']),
      // Where the kind was left out it asked for a certificate, too, and the paths tell.
      isIssued: row['ssl'] === 'certbot' || textOf(row['sslPair']).includes('/letsencrypt/live/'),
      skipValidation: isOn(row['skipValidation']),
      hasSignIn: row['oauth2ServicePort'] !== null && row['oauth2ServicePort'] !== undefined,
      allowedEmails: emailsOf(row['oauth2Config']),
    })),
    httpServices: rows.httpServices.map(httpServiceOf),
    tcpServices: rows.tcpServices.map(tcpServiceOf),
    tokens: rows.tokens.map((row) => ({
      id: Number(row['id']),
      name: textOf(row['name']),
      nodeId: Number(row['nodeId']),
      isRevoked: !isOff(row['revoked']),
      expiresAt: timeOf(row['expireAt']),
    })),
  };
}

function serverOf(rows: Row[]): WiredoorData['server'] {
  const row = rows.find(({ config }) => config === 'wg0') ?? rows[0];
  const privateKey = row?.['privateKey'];
  if (row === undefined || !isWireguardKey(privateKey)) throw new Error("the server's own key is missing");
  const publicKey = publicKeyOf(new Secret(privateKey));
  // By that one its nodes know it.
  if (row['publicKey'] !== publicKey) throw new Error("the two halves of the server's key do not belong together");
  const subnet = ipv4Network(row['subnet']);
  const port = Number(row['port']);
  if (subnet === null || !Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new Error("the server's network or port is none");
  }
  // Its watchdogs look for the server there.
  const { gateway } = vpnSubnet(subnet);
  if (textOf(row['address']).split('/')[0] !== gateway) throw new Error(`the server's address is not ${gateway}`);
  return { publicKey, privateKey: new Secret(privateKey), subnet, port };
}

function nodeOf(row: Row): WiredoorNode {
  const legacy = textOf(row['gatewayNetwork']);
  const networks = jsonOf(row['gatewayNetworks']);
  return {
    id: Number(row['id']),
    name: textOf(row['name']),
    address: textOf(row['address']),
    dns: textOf(row['dns']),
    keepalive: Number(row['keepalive'] ?? 25),
    networks: Array.isArray(networks)
      ? networks.filter(isObject).map((each) => ({
          interface: textOf(each['interface']),
          subnet: textOf(each['subnet']),
        }))
      : legacy === ''
        ? []
        : [{ interface: 'eth0', subnet: legacy }],
    allowInternet: isOn(row['allowInternet']),
    isEnabled: isOn(row['enabled']),
    isGateway: isOn(row['isGateway']),
    isLocal: isOn(row['isLocal']),
    keys: keysOf(row),
  };
}

function keysOf({ publicKey, privateKey, preSharedKey }: Row): WiredoorNode['keys'] {
  if (!isWireguardKey(publicKey) || !isWireguardKey(privateKey) || !isWireguardKey(preSharedKey)) return null;
  const secret = new Secret(privateKey);
  if (publicKeyOf(secret) !== publicKey) return null;
  return { publicKey, privateKey: secret, presharedKey: new Secret(preSharedKey) };
}

const serviceOf = (row: Row): WiredoorService => ({
  name: textOf(row['name']),
  domain: textOf(row['domain']) || null,
  backendHost: textOf(row['backendHost']) || null,
  backendPort: Number(row['backendPort'] ?? 80),
  nodeId: Number(row['nodeId']),
  isEnabled: isOn(row['enabled']),
  allowedIps: listOf(jsonOf(row['allowedIps'])),
  blockedIps: listOf(jsonOf(row['blockedIps'])),
  expiresAt: timeOf(row['expiresAt']),
});

const httpServiceOf = (row: Row): WiredoorHttpService => ({
  ...serviceOf(row),
  path: textOf(row['pathLocation']) || '/',
  scheme: textOf(row['backendProto']) || 'http',
  requireAuth: !isOff(row['requireAuth']),
  skipAuthRoutes: textOf(row['skipAuthRoutes']) || null,
});

const tcpServiceOf = (row: Row): WiredoorTcpService => ({
  ...serviceOf(row),
  proto: textOf(row['proto']) || 'tcp',
  port: Number(row['port']),
  ssl: !isOff(row['ssl']),
});

const isOn = (value: unknown): boolean => value === 1;
/** Of what protects, anything else than "no" is a yes. */
const isOff = (value: unknown): boolean => value === 0 || value === null || value === undefined;
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const isObject = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Null: nothing is stored; undefined: it cannot be read. */
function jsonOf(value: unknown): unknown {
  if (value === null || value === undefined || value === '') return null;
  try {
    return JSON.parse(textOf(value));
  } catch {
    return undefined;
  }
}

function listOf(value: unknown): StoredList {
  if (value === null) return null;
  if (!Array.isArray(value) || !value.every((each) => typeof each === 'string')) return 'unreadable';
  if (value.length === 0) return null;
  const list = [...new Set(value.map((each) => each.trim()))].filter((each) => each !== '');
  return list.length === 0 ? 'unreadable' : list;
}

function emailsOf(stored: unknown): StoredList {
  const config = jsonOf(stored);
  if (config === null) return null;
  return isObject(config) ? listOf(config['allowedEmails'] ?? null) : 'unreadable';
}

/** SQLite has it as text without a zone, which is UTC. */
function timeOf(value: unknown): StoredTime {
  if (value === null || value === undefined || value === '') return null;
  const text = textOf(value).replace(' ', 'T');
  const time = new Date(/(?:Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`);
  return Number.isNaN(time.getTime()) ? 'unreadable' : time;
}
