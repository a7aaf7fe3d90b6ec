import { isIPv6 } from 'node:net';
import type { HttpServiceRow, TcpServiceRow } from '../../store/rows.ts';
import type { Settings } from '../settings.ts';

const HTTPS_PORT = 443;

/** Where visitors reach an HTTP service; the console without a domain has a port of its own. */
export function publicUrl(
  { domain, pathLocation, builtin }: Pick<HttpServiceRow, 'domain' | 'pathLocation' | 'builtin'>,
  settings: Settings,
): string {
  const port = builtin && domain === null ? settings.consolePort : settings.httpsPort;
  return `https://${hostOf(domain, settings)}${portOf(port)}${pathLocation}`;
}

/** Where visitors reach what a domain has at its root. */
export const domainUrl = (domain: string, { httpsPort }: Pick<Settings, 'httpsPort'>): string =>
  `https://${domain}${portOf(httpsPort)}/`;

/** Where clients reach a TCP or UDP service. */
export function publicAddress(
  { domain, proto, port }: Pick<TcpServiceRow, 'domain' | 'proto' | 'port'>,
  settings: Settings,
): string {
  return `${proto}://${hostOf(domain, settings)}:${port}`;
}

const portOf = (port: number): string => (port === HTTPS_PORT ? '' : `:${port}`);

const hostOf = (domain: string | null, { vpnHost }: Settings): string =>
  domain ?? (isIPv6(vpnHost) ? `[${vpnHost}]` : vpnHost);
