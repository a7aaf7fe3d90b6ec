/** What calls with an `Idempotency-Key` came to, so that a repeated one is answered and not done again. */
export const idempotencyKeys = `
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
