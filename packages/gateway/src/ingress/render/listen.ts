import { whole } from './text.ts';

/** `listen` parameters for one address. */
export function listenOn(host: string, port: number): string {
  const v6only = host.startsWith('[') ? ' ipv6only=on' : '';
  return `${host}:${whole(port, 1, 65_535)}${v6only}`;
}
