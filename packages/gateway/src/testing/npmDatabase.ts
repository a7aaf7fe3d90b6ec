import Sqlite from 'better-sqlite3';

/** As version 2.15 makes them, but for columns that are not read, and one more than there is. */
const SCHEMA = `
  create table proxy_host (id integer primary key, owner_user_id int, is_deleted int default 0, domain_names json, forward_host varchar,
    forward_port int, access_list_id int default 0, certificate_id int default 0, ssl_forced int default 0, hsts_enabled int default 0,
    hsts_subdomains int default 0, trust_forwarded_proto tinyint default 0, caching_enabled int default 0, block_exploits int default 0,
    advanced_config text default '', meta json default '{}', forward_scheme varchar default 'http', enabled int default 1, locations json, later int);
  create table redirection_host (id integer primary key, is_deleted int default 0, domain_names json);
  create table dead_host (id integer primary key, is_deleted int default 0, domain_names json);
  create table stream (id integer primary key, is_deleted int default 0, incoming_port int, forwarding_host varchar, forwarding_port int,
    tcp_forwarding int default 0, udp_forwarding int default 0, enabled int default 1, certificate_id int default 0);
  create table access_list (id integer primary key, is_deleted int default 0, name varchar, satisfy_any int default 0);
  create table access_list_auth (id integer primary key, access_list_id int, username varchar, password varchar);
  create table access_list_client (id integer primary key, access_list_id int, address varchar, directive varchar);
  create table certificate (id integer primary key, is_deleted int default 0, provider varchar);
  create table setting (id varchar primary key, value varchar);`;

/** Rows of the tables; what is no number or text is stored as JSON. */
export type NpmRows = Record<string, Record<string, unknown>[]>;

/** A database of Nginx Proxy Manager. @returns its file */
export function makeNpmDatabase(file: string, rows: NpmRows, schema = SCHEMA): string {
  const database = new Sqlite(file);
  database.exec(schema);
  for (const [table, all] of Object.entries(rows)) {
    for (const row of all) {
      const names = Object.keys(row);
      const values = Object.values(row).map((value) => (typeof value === 'object' ? JSON.stringify(value) : value));
      database.prepare(`insert into ${table} (${names.join()}) values (${names.map(() => '?').join()})`).run(...values);
    }
  }
  database.close();
  return file;
}
