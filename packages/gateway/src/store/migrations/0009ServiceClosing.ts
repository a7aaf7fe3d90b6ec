/** When a service was closed, and by what. Of those that are closed already, that is not known. */
export const serviceClosing = `
alter table http_services add column closed_at text;
alter table http_services add column closed_by text;
alter table tcp_services add column closed_at text;
alter table tcp_services add column closed_by text;
`;
