/** Each new service is held against those of its domain with the same path, and against the console. */
export const servicePlaces = `
drop index http_services_domain;
create index http_services_domain on http_services (domain, builtin, path_location);
`;
