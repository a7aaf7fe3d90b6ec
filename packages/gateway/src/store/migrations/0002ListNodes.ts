/** The nodes' list has the local node first: without it, each page sorts all rows. */
export const listNodes = `
create index nodes_list on nodes (is_local desc, id);
`;
