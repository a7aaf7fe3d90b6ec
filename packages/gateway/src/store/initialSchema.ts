/**
 * All tables. A column's declared type says how its values are read: `boolean` is 0 or 1, `json_text` is JSON.
 * AUTOINCREMENT: an id is never given twice, so a log line or a tab that still names a deleted row cannot meet another.
 */
export const initialSchema = `
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
