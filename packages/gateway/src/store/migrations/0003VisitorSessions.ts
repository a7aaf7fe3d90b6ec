/** Visitors who signed in to a domain. The domain takes them along when it goes. */
export const visitorSessions = `
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
