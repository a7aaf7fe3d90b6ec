import type { Machine } from './machine.ts';

/** What to do on the machine of a gateway instead of joining one; null: it is no such machine. The address is the usual one. */
export const gatewayHere = ({ find }: Pick<Machine, 'find'>): string | null =>
  find('sallyport-gateway') === null
    ? null
    : '`sudo sallyport-gateway check` looks at it; operators sign in with `sallyport login --operator --url http://127.0.0.1:3000`.';
