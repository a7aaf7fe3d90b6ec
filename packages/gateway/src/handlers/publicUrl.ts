import { isIPv6 } from 'node:net';
import type { HttpServiceRow } from '../store/rows.ts';
import type { Settings } from './context.ts';

const HTTPS_PORT = 443;

/** Where visitors reach an HTTP service; the console without a domain has a port of its own. */
export function publicUrl(
  { domain, pathLocation, builtin }: Pick<HttpServiceRow, 'domain' | 'pathLocation' | 'builtin'>,
  { vpnHost, httpsPort, consolePort }: Settings,
): string {
  const host = domain ?? (isIPv6(vpnHost) ? `[${vpnHost}]` : vpnHost);
  const port = builtin && domain === null ? consolePort : httpsPort;
  return `https://${host}${port === HTTPS_PORT ? '' : `:${port}`}${pathLocation}`;
}
