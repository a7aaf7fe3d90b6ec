/**
 * What the access token of a node may use. Before, each could use every domain: those that a node uses stay open to it,
 * and every domain counts as the administrator's, since it was not recorded who added it.
 */
export const nodeGrants = `
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
