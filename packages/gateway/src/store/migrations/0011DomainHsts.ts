/** Domains of before were never said to be reached by HTTPS alone; that stays so until an administrator wants it. */
export const domainHsts = `alter table domains add column hsts boolean not null default 0;`;
