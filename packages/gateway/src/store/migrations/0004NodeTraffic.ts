/** What WireGuard counted, so that the totals of a node survive its interface; `counter_*` are its own last figures. */
export const nodeTraffic = `
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
