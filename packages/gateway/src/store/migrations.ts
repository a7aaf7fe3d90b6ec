import type { Database } from 'better-sqlite3';
import { nameKey } from './nameKey.ts';

/**
 * A step of the schema: SQL that is run once, in one transaction with all the steps before it that are due. What SQL cannot
 * say of the rows is done before it by `prepare`.
 */
export type Migration = { name: string; sql: string; prepare?: (database: Database) => void };

/**
 * All tables. A column's declared type says how its values are read: `boolean` is 0 or 1, `json_text` is JSON.
 * AUTOINCREMENT: an id is never given twice, so a log line or a tab that still names a deleted row cannot meet another.
 */
const initialSchema = `
create table admin (
  id integer primary key check (id = 1),
  username text not null,
  password_hash text not null
);

create table sessions (
  id integer primary key autoincrement,
  token_hash text not null unique,
  created_at text not null,
  expires_at text not null
);

create table settings (
  key text primary key,
  value text not null
) without rowid;

create table nodes (
  id integer primary key autoincrement,
  version integer not null,
  created_at text not null,
  updated_at text not null,
  name text not null,
  address text not null unique,
  dns text,
  keepalive integer not null,
  allow_internet boolean not null,
  is_gateway boolean not null,
  gateway_networks json_text,
  advanced boolean not null,
  is_local boolean not null,
  enabled boolean not null,
  public_key text unique,
  sealed_private_key text,
  sealed_preshared_key text
);

create table domains (
  id integer primary key autoincrement,
  version integer not null,
  created_at text not null,
  updated_at text not null,
  domain text not null unique,
  ssl text not null check (ssl in ('self-signed', 'certbot')),
  skip_validation boolean not null,
  authentication boolean not null,
  allowed_emails json_text
);

create table http_services (
  id integer primary key autoincrement,
  version integer not null,
  created_at text not null,
  updated_at text not null,
  node_id integer not null references nodes (id) on delete cascade,
  name text not null,
  domain text references domains (domain),
  path_location text not null,
  backend_proto text not null check (backend_proto in ('http', 'https')),
  backend_host text,
  backend_port integer not null,
  allowed_ips json_text,
  blocked_ips json_text,
  require_auth boolean not null,
  skip_auth_routes text,
  enabled boolean not null,
  expires_at text,
  builtin boolean not null
);
-- The console listens on a port of its own, so without a domain it takes no path from anybody.
create unique index http_services_place on http_services (coalesce(domain, ''), path_location) where not builtin;
create index http_services_node on http_services (node_id);
create index http_services_domain on http_services (domain);

create table tcp_services (
  id integer primary key autoincrement,
  version integer not null,
  created_at text not null,
  updated_at text not null,
  node_id integer not null references nodes (id) on delete cascade,
  name text not null,
  domain text references domains (domain),
  proto text not null check (proto in ('tcp', 'udp')),
  backend_host text,
  backend_port integer not null,
  port integer not null unique,
  ssl boolean not null,
  allowed_ips json_text,
  blocked_ips json_text,
  enabled boolean not null,
  expires_at text
);
create index tcp_services_node on tcp_services (node_id);
create index tcp_services_domain on tcp_services (domain);

create table node_tokens (
  id integer primary key autoincrement,
  version integer not null,
  created_at text not null,
  updated_at text not null,
  node_id integer not null references nodes (id) on delete cascade,
  name text not null,
  token_hash text not null unique,
  expire_at text,
  revoked boolean not null,
  last_used_at text
);
create index node_tokens_node on node_tokens (node_id);
`;

/** The nodes' list has the local node first: without it, each page sorts all rows. */
const listNodes = `
create index nodes_list on nodes (is_local desc, id);
`;

/** Visitors who signed in to a domain. The domain takes them along when it goes. */
const visitorSessions = `
create table visitor_sessions (
  token_hash text primary key,
  domain_id integer not null references domains (id) on delete cascade,
  email text not null,
  subject text not null,
  created_at text not null,
  expires_at text not null
) without rowid;
create index visitor_sessions_domain on visitor_sessions (domain_id);
`;

/** What WireGuard counted, so that the totals of a node survive its interface; `counter_*` are its own last figures. */
const nodeTraffic = `
create table node_traffic (
  node_id integer primary key references nodes (id) on delete cascade,
  public_key text not null,
  total_rx integer not null,
  total_tx integer not null,
  counter_rx integer not null,
  counter_tx integer not null,
  endpoint text,
  handshake_at integer
);
`;

/** Each new service is held against those of its domain with the same path, and against the console. */
const servicePlaces = `
drop index http_services_domain;
create index http_services_domain on http_services (domain, builtin, path_location);
`;

/**
 * What the access token of a node may use. Before, each could use every domain: those that a node uses stay open to it,
 * and every domain counts as the administrator's, since it was not recorded who added it.
 */
const nodeGrants = `
alter table nodes add column allow_any_domain boolean not null default 0;
alter table nodes add column allowed_networks json_text;
alter table domains add column reserved boolean not null default 1;
alter table domains add column allowed_nodes json_text;
update domains set allowed_nodes = (
  select nullif(json_group_array(id), '[]') from (
    select id from nodes where not is_local and (
      exists (select 1 from http_services s where s.node_id = nodes.id and s.domain = domains.domain) or
      exists (select 1 from tcp_services s where s.node_id = nodes.id and s.domain = domains.domain)
    ) order by id
  )
);
`;

/**
 * A session belongs to a key of the browser where there is one, and is kept until its end with the reason why it ended
 * sooner. What stood in the cookies of before was a token that worked by itself, so those sessions end.
 */
const sessionKeys = `
delete from sessions;
alter table sessions add column key_thumbprint text;
alter table sessions add column ended text;
`;

/** What calls with an `Idempotency-Key` came to, so that a repeated one is answered and not done again. */
const idempotencyKeys = `
create table idempotency_keys (
  id integer primary key autoincrement,
  caller text not null,
  key_hash text not null,
  call text not null,
  request_hash text not null,
  token_hash text not null,
  outcome json_text not null,
  created_at text not null
);
create unique index idempotency_keys_key on idempotency_keys (caller, key_hash);
create index idempotency_keys_caller on idempotency_keys (caller, id);
create index idempotency_keys_age on idempotency_keys (created_at);
`;

/** When a service was closed, and by what. Of those that are closed already, that is not known. */
const serviceClosing = `
alter table http_services add column closed_at text;
alter table http_services add column closed_by text;
alter table tcp_services add column closed_at text;
alter table tcp_services add column closed_by text;
`;

/** Nodes are told apart by their names, whatever the case of the letters. */
const uniqueNodeNames = `
create unique index nodes_name on nodes (name collate nocase);
`;

/** Domains of before were never said to be reached by HTTPS alone; that stays so until an administrator wants it. */
const domainHsts = `alter table domains add column hsts boolean not null default 0;`;

/**
 * Which domains go with the last service that leaves them. Of those of before it is not known who added them: the ones
 * without anything that the administrator decided went, and still do.
 */
const domainOrigin = `
alter table domains add column came_with_service boolean not null default 0;
update domains set came_with_service = 1
where not reserved and not authentication and allowed_nodes is null and ssl = 'self-signed';
`;

/** Under which names the console and nodes had their websites. Of the time before, only where they are now is known. */
const formerNames = `
create table former_names (name text not null, used_by text not null, primary key (name, used_by)) without rowid;
insert into former_names (name, used_by)
select distinct domain, case when builtin then 'console' else 'node' end from http_services
where typeof(domain) = 'text' and (builtin or node_id in (select id from nodes where not is_local));
`;

/** Which node had a public port last, and until when. Not tied to the node: it may be gone. */
const formerPorts = `
create table former_ports (port integer primary key, node_id integer not null, left_at text not null);
`;

/** By which hosts join without a password. */
const joinKeysTable = `
create table join_keys (
  id integer primary key autoincrement,
  version integer not null,
  created_at text not null,
  updated_at text not null,
  name text not null,
  node_id integer references nodes (id) on delete cascade,
  reusable boolean not null,
  name_pattern text,
  is_gateway boolean not null,
  expire_at text not null,
  code_hash text not null unique,
  uses integer not null,
  last_used_at text
);
create index join_keys_node on join_keys (node_id);
`;

/** Tokens of programs. Of the secret, only its hash is kept and how it begins. */
const apiTokens = `
create table api_tokens (
  id integer primary key autoincrement,
  version integer not null,
  created_at text not null,
  updated_at text not null,
  name text not null,
  scope json_text not null,
  nodes json_text,
  expire_at text,
  prefix text not null,
  token_hash text not null unique,
  last_used_at text
);
`;

/** By what an administrator recognises a session; of those of before it is not known. */
const sessionUse = `
alter table sessions add column last_used_at text;
alter table sessions add column address text;
`;

/** To find things by, and to read. */
const tagsAndNotes = ['nodes', 'domains', 'http_services', 'tcp_services']
  .map(
    (table) => `
alter table ${table} add column tags json_text not null default '[]';
alter table ${table} add column notes text;
`,
  )
  .join('');

/**
 * The schema's history, oldest first; the number of a step is its place, counted from 1. A step that has been released
 * is never changed: a new one is added behind it.
 */
export const migrations: readonly Migration[] = [
  { name: 'initial', sql: initialSchema },
  { name: 'list nodes', sql: listNodes },
  { name: 'visitor sessions', sql: visitorSessions },
  { name: 'node traffic', sql: nodeTraffic },
  { name: 'service places', sql: servicePlaces },
  { name: 'node grants', sql: nodeGrants },
  { name: 'session keys', sql: sessionKeys },
  { name: 'idempotency keys', sql: idempotencyKeys },
  { name: 'service closing', sql: serviceClosing },
  { name: 'unique node names', sql: uniqueNodeNames, prepare: renameDuplicateNodes },
  { name: 'domain hsts', sql: domainHsts },
  { name: 'domain origin', sql: domainOrigin },
  { name: 'former names', sql: formerNames },
  { name: 'former ports', sql: formerPorts },
  { name: 'join keys', sql: joinKeysTable },
  { name: 'api tokens', sql: apiTokens },
  { name: 'session use', sql: sessionUse },
  { name: 'node resolver', sql: 'alter table nodes add column resolver text' },
  { name: 'tags and notes', sql: tagsAndNotes },
];

const NAME_MAX_CHARS = 255;

/**
 * Gives each node a name of its own: the oldest of those that share one keeps it (the local node before all), the others get
 * the next free number behind it.
 */
function renameDuplicateNodes(database: Database): void {
  const nodes = database.prepare('select id, name from nodes order by is_local desc, id').all() as {
    id: number;
    name: unknown;
  }[];
  const rename = database.prepare('update nodes set name = ?, version = version + 1 where id = ?');
  const taken = new Set(nodes.map(({ name }) => nameKey(name)));
  const kept = new Set<string>();
  for (const { id, name: stored } of nodes) {
    // A damaged row may hold anything.
    const name = String(stored);
    if (!kept.has(nameKey(name))) {
      kept.add(nameKey(name));
      continue;
    }
    let number = 2;
    const numbered = () => `${name.slice(0, NAME_MAX_CHARS - 12).toWellFormed()}-${number}`;
    while (taken.has(nameKey(numbered()))) number += 1;
    taken.add(nameKey(numbered()));
    rename.run(numbered(), id);
  }
}

/** Stands in the file's header, so that another program's database is not taken for ours. */
export const APPLICATION_ID = 0x53_50_47_57;

/** The database is of a newer gateway than this one. */
export class NewerDatabaseError extends Error {
  override readonly name = 'NewerDatabaseError';
}

/** @throws {NewerDatabaseError} when a newer gateway wrote the database */
export function checkVersion(database: Database, steps: readonly Migration[] = migrations): number {
  const current = Number(database.pragma('user_version', { simple: true }));
  if (current > steps.length) throw new NewerDatabaseError(`schema ${current}, known ${steps.length}`);
  return current;
}

/**
 * Brings the schema up to date; everything that is due happens in one transaction, or not at all.
 * @throws {NewerDatabaseError} without touching anything when a newer gateway wrote the database
 */
export function migrate(database: Database, steps: readonly Migration[] = migrations): void {
  const current = checkVersion(database, steps);
  if (current === steps.length) return;
  database
    .transaction(() => {
      for (const step of steps.slice(current)) {
        step.prepare?.(database);
        database.exec(step.sql);
      }
      database.pragma(`user_version = ${steps.length}`);
      database.pragma(`application_id = ${APPLICATION_ID}`);
    })
    .immediate();
}
