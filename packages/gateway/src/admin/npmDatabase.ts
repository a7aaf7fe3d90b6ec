import { existsSync } from 'node:fs';
import Sqlite, { type Database } from 'better-sqlite3';
import { StartError } from '../machine/startError.ts';

/** Where a request goes: a host, or a path of it. */
export type NpmTarget = { scheme: string; host: string; port: number };

/** A proxy host of Nginx Proxy Manager. */
export type NpmHost = NpmTarget & {
  names: string[];
  isEnabled: boolean;
  /** Its nginx refused the configuration. */
  refusal: string | null;
  accessList: NpmAccessList | null;
  certificate: NpmCertificate | null;
  /** nginx's own text, which may protect the host. */
  hasOwnText: boolean;
  switches: Record<'caching' | 'blockExploits' | 'forcesHttps' | 'hsts' | 'trustsForwardedProto', boolean>;
  locations: (NpmTarget & { path: string; hasOwnText: boolean })[];
};

export type NpmCertificate = {
  isLetsEncrypt: boolean;
  /** Its directory in `live` of certbot. */
  lineage: string;
};

export type NpmAccessList = {
  name: string;
  /** In the order in which they count: the first that fits. */
  rules: { directive: string; address: string }[];
  hasPasswords: boolean;
};

export type NpmStream = Omit<NpmTarget, 'scheme'> & {
  port: number;
  incomingPort: number;
  protocols: ('tcp' | 'udp')[];
  isEnabled: boolean;
  certificate: NpmCertificate | null;
};

export type NpmData = {
  hosts: NpmHost[];
  streams: NpmStream[];
  /** Names of hosts that redirect, and of those that answer 404. */
  redirections: string[][];
  deadHosts: string[][];
  /** What unknown names are answered with, where that was chosen; null: as it comes. */
  defaultSite: string | null;
};

type Row = Record<string, unknown>;

/**
 * Reads the SQLite database of Nginx Proxy Manager, of any version: columns are read by their names, those that are missing
 * have their defaults. Passwords are not read.
 * @throws {StartError} when it is none, or damaged
 */
export function readNpm(file: string): NpmData {
  if (!existsSync(file))
    throw new StartError(`${file} is not there. It is data/database.sqlite of Nginx Proxy Manager.`);
  let database: Database | null = null;
  try {
    database = new Sqlite(file, { readonly: true });
    if (database.pragma('quick_check', { simple: true }) !== 'ok') throw new Error('it is damaged');
    return read(database);
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    throw new StartError(`${file} is no database of Nginx Proxy Manager that can be read (${said}).`, { cause: error });
  } finally {
    database?.close();
  }
}

function read(database: Database): NpmData {
  const tables = new Set(database.prepare("select name from sqlite_schema where type = 'table'").pluck().all());
  if (!tables.has('proxy_host')) throw new Error('it has no table proxy_host');
  const rows = (table: string): Row[] =>
    tables.has(table)
      ? (database.prepare(`select * from ${table} order by id`).all() as Row[]).filter(
          (row) => !isOn(row['is_deleted']),
        )
      : [];
  const certificates = new Map<unknown, NpmCertificate>(
    rows('certificate').map(({ id, provider }) => [
      id,
      { isLetsEncrypt: provider === 'letsencrypt', lineage: `npm-${Number(id)}` },
    ]),
  );
  const [site] = tables.has('setting')
    ? database.prepare("select value from setting where id = 'default-site'").pluck().all()
    : [];
  const lists = new Map(rows('access_list').map((row) => [row['id'], textOf(row['name'])]));
  const rules = rows('access_list_client');
  const users = rows('access_list_auth');
  const accessListOf = (id: unknown): NpmAccessList | null => {
    const name = lists.get(id);
    if (name === undefined) return null;
    const isOfList = (row: Row): boolean => row['access_list_id'] === id;
    return {
      name,
      rules: rules.filter(isOfList).map((row) => ({
        directive: textOf(row['directive']),
        address: textOf(row['address']),
      })),
      hasPasswords: users.some(isOfList),
    };
  };
  return {
    hosts: rows('proxy_host').map((row) => {
      const meta = objectOf(row['meta']);
      return {
        names: namesOf(row['domain_names']),
        scheme: textOf(row['forward_scheme'] ?? 'http'),
        host: textOf(row['forward_host'] ?? row['forward_ip']),
        port: Number(row['forward_port']),
        isEnabled: isOn(row['enabled'] ?? 1),
        refusal: meta['nginx_online'] === false ? textOf(meta['nginx_err']) || 'its nginx refused it' : null,
        accessList: accessListOf(row['access_list_id']),
        certificate: certificates.get(row['certificate_id']) ?? null,
        hasOwnText: textOf(row['advanced_config']).trim() !== '',
        switches: {
          caching: isOn(row['caching_enabled']),
          blockExploits: isOn(row['block_exploits']),
          forcesHttps: isOn(row['ssl_forced']),
          hsts: isOn(row['ssl_forced']) && isOn(row['hsts_enabled']),
          trustsForwardedProto: isOn(row['trust_forwarded_proto']),
        },
        locations: listOf(row['locations']).map((location) => ({
          path: textOf(location['path']),
          scheme: textOf(location['forward_scheme']),
          host: textOf(location['forward_host']) + textOf(location['forward_path']),
          port: Number(location['forward_port']),
          hasOwnText: textOf(location['advanced_config']).trim() !== '',
        })),
      };
    }),
    streams: rows('stream').map((row) => ({
      incomingPort: Number(row['incoming_port']),
      host: textOf(row['forwarding_host'] ?? row['forward_ip']),
      port: Number(row['forwarding_port']),
      protocols: [
        ...(isOn(row['tcp_forwarding']) ? (['tcp'] as const) : []),
        ...(isOn(row['udp_forwarding']) ? (['udp'] as const) : []),
      ],
      isEnabled: isOn(row['enabled'] ?? 1),
      certificate: certificates.get(row['certificate_id']) ?? null,
    })),
    redirections: rows('redirection_host').map((row) => namesOf(row['domain_names'])),
    deadHosts: rows('dead_host').map((row) => namesOf(row['domain_names'])),
    defaultSite: textOf(site) === 'congratulations' ? null : textOf(site) || null,
  };
}

const isOn = (value: unknown): boolean => value === 1;
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function jsonOf(value: unknown): unknown {
  try {
    return JSON.parse(textOf(value));
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);

function objectOf(value: unknown): Row {
  const found = jsonOf(value);
  return isObject(found) ? found : {};
}

function listOf(value: unknown): Row[] {
  const found = jsonOf(value);
  return Array.isArray(found) ? found.filter(isObject) : [];
}

function namesOf(value: unknown): string[] {
  const found = jsonOf(value);
  return Array.isArray(found) ? found.filter((name) => typeof name === 'string') : [];
}
