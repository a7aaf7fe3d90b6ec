import { createHmac, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { createNodeKeys, createPresharedKey } from '../vault/keyVault.ts';

/** As version 1.7 makes them, but for the lengths of texts, and one column more than there is. */
const SCHEMA = `
  create table wg_interfaces (name varchar, config varchar primary key, address varchar, subnet varchar, port varchar, preUp text,
    postUp text, preDown text, postDown text, publicKey varchar, privateKey varchar);
  create table nodes (id integer primary key autoincrement, name varchar not null, address varchar unique, dns varchar,
    keepalive integer default 25, gatewayNetwork varchar, gatewayNetworks json, wgInterface varchar default 'wg0', preSharedKey varchar,
    publicKey varchar, privateKey varchar, allowInternet boolean default 0, advanced boolean default 0, enabled boolean default 1,
    isGateway boolean default 0, isLocal boolean default 0, created_at datetime, updated_at datetime, later text);
  create table "personal-access-tokens" (id integer primary key autoincrement, name varchar, expireAt datetime, revoked boolean default 0,
    nodeId integer, created_at datetime, updated_at datetime);
  create table domains (id integer primary key autoincrement, domain varchar unique, ssl varchar default 'self-signed', sslPair text,
    skipValidation boolean default 0, oauth2ServicePort integer, oauth2Config text);
  create table http_services (id integer primary key autoincrement, name varchar, domain varchar, pathLocation varchar default '/',
    backendHost varchar, backendPort integer default 80, backendProto varchar default 'http', nodeId integer, enabled boolean default 1,
    requireAuth boolean default 0, skipAuthRoutes text, allowedIps json, blockedIps json, expiresAt datetime);
  create table tcp_services (id integer primary key autoincrement, name varchar, domain varchar, proto varchar default 'tcp',
    backendHost varchar, backendPort integer, port integer unique, ssl boolean default 0, nodeId integer, enabled boolean default 1,
    allowedIps json, blockedIps json, expiresAt datetime);
  create table typeorm_migrations (id integer primary key autoincrement, timestamp bigint, name varchar);`;

/** The numbers of the rows that every Wiredoor server has. */
export const WIREDOOR_LOCAL = 1;

type Values = Record<string, unknown>;
/** Rows by their tables. */
export type WiredoorRows = {
  wg_interfaces?: Values;
  nodes?: Values[];
  tokens?: Values[];
  domains?: Values[];
  http_services?: Values[];
  tcp_services?: Values[];
};

/** A directory as a Wiredoor server has it. */
export type WiredoorDirectory = {
  path: string;
  server: { publicKey: string; privateKey: string };
  /** The keys of a node as its own configuration has them, by its number. */
  keysOf(nodeId: number): { publicKey: string; privateKey: string; presharedKey: string };
  /** A token as Wiredoor made it: a JWT without its first part. */
  token(id: number): string;
};

/** Writes one; the first of `nodes` has the number 2. */
export function makeWiredoorDirectory(path: string, rows: WiredoorRows = {}): WiredoorDirectory {
  mkdirSync(path, { recursive: true });
  const database = new Sqlite(join(path, 'db.sqlite'));
  // No test asks what a power failure leaves.
  database.pragma('synchronous = off');
  database.exec(SCHEMA);
  const insert = (table: string, row: Values): void => {
    const names = Object.keys(row);
    const values = Object.values(row).map((value) =>
      typeof value === 'object' && value !== null ? JSON.stringify(value) : value,
    );
    database.prepare(`insert into "${table}" (${names.join()}) values (${names.map(() => '?').join()})`).run(...values);
  };
  const own = createNodeKeys();
  const server = { publicKey: own.publicKey, privateKey: own.privateKey.reveal() };
  const wire = { config: 'wg0', name: 'wg0', address: '10.0.0.1/24', subnet: '10.0.0.0/24', port: '51820' };
  insert('wg_interfaces', { ...wire, ...server, ...rows.wg_interfaces });
  const local = { address: 'localhost', wgInterface: '', publicKey: '', privateKey: '', preSharedKey: '' };
  insert('nodes', { id: WIREDOOR_LOCAL, name: 'Wiredoor_Local', isLocal: 1, ...local });
  const keys = new Map<number, ReturnType<WiredoorDirectory['keysOf']>>();
  for (const [index, node] of (rows.nodes ?? []).entries()) {
    const id = index + 2;
    const pair = createNodeKeys();
    const { publicKey } = pair;
    const secret = { privateKey: pair.privateKey.reveal(), presharedKey: createPresharedKey().reveal() };
    keys.set(id, { publicKey, ...secret });
    const stored = { publicKey, privateKey: secret.privateKey, preSharedKey: secret.presharedKey };
    insert('nodes', { id, name: `node-${id}`, address: `10.0.0.${id}`, ...stored, ...node });
  }
  const ownService = { name: 'Wiredoor_APP', nodeId: WIREDOOR_LOCAL, backendHost: '127.0.0.1', backendPort: 3000 };
  if (!rows.http_services?.some(({ name }) => name === ownService.name)) insert('http_services', ownService);
  for (const row of rows.domains ?? []) insert('domains', row);
  for (const row of rows.http_services ?? []) insert('http_services', row);
  for (const row of rows.tcp_services ?? []) insert('tcp_services', row);
  for (const row of rows.tokens ?? []) insert('personal-access-tokens', { name: 'default', ...row });
  database.close();
  const key = randomBytes(64).toString('base64');
  writeFileSync(join(path, '.key'), key, { mode: 0o600 });
  return {
    path,
    server,
    keysOf(nodeId) {
      const found = keys.get(nodeId);
      if (found === undefined) throw new Error(`there is no node ${nodeId}`);
      return found;
    },
    token: (id) => signedByWiredoor({ id, type: 'client', iat: 1_700_000_000 }, key),
  };
}

/** What Wiredoor makes of claims with its key. */
export function signedByWiredoor(claims: object, key: string, alg = 'HS256'): string {
  const [header, payload] = [{ alg, typ: 'JWT' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  return `${payload}.${createHmac('sha256', key).update(`${header}.${payload}`).digest('base64url')}`;
}
