import type { GatewaySettings, SettingName } from '@sallyport/sdk/contract';
import { useRead } from '../../data/queries.ts';

/** The gateway's settings and features; undefined while they are on their way. */
export const useSettings = (): GatewaySettings | undefined => useRead('settings.get', {}).data;

/** What the gateway says of how something is set up, where one is in Settings already. */
export const withinSettings = (text: string): string => text.replace(' under Settings in the console', ' here');

/** What the settings are called. */
export const settingLabels: Record<SettingName, string> = {
  SALLYPORT_VPN_HOST: 'Public address',
  SALLYPORT_HOST_NAMES: 'Further names of this gateway',
  SALLYPORT_HTTP_PORT: 'HTTP port',
  SALLYPORT_HTTPS_PORT: 'HTTPS port',
  SALLYPORT_PUBLIC_HTTPS_PORT: "Visitors' HTTPS port",
  SALLYPORT_CONSOLE_PORT: 'Console port',
  SALLYPORT_LISTEN: 'Own listener',
  SALLYPORT_TCP_PORTS: 'Ports of TCP and UDP services',
  SALLYPORT_TRUSTED_PROXIES: 'Trusted proxies in front',
  SALLYPORT_DNS_SERVERS: 'Name servers that are asked',
  SALLYPORT_DATA: 'Data directory',
  SALLYPORT_LOG_LEVEL: "Level of the gateway's own log",
  SALLYPORT_TUNNEL: 'Tunnel',
  SALLYPORT_VPN_PORT: 'Tunnel port (UDP)',
  SALLYPORT_VPN_SUBNET: 'Network of the nodes',
  SALLYPORT_VPN_INTERFACE: 'Tunnel interface',
  SALLYPORT_WIREDOOR_CLIENTS: "Wiredoor's programs",
  SALLYPORT_ACME_URL: 'Directory of the authority',
  SALLYPORT_ACME_EMAIL: 'E-mail for the authority',
  SALLYPORT_OIDC_ISSUER: 'Issuer',
  SALLYPORT_OIDC_CLIENT_ID: 'Client ID',
  SALLYPORT_OIDC_CLIENT_SECRET: 'Client secret',
  SALLYPORT_NODE_SERVICES: 'Services of a node',
  SALLYPORT_NODE_PORTS: 'Public ports of a node',
  SALLYPORT_NODE_LIST_ENTRIES: 'Listed addresses and paths of a node',
  SALLYPORT_LOG_HISTORY_MB: 'Log lines kept, MB for each service and domain',
  SALLYPORT_ADMIN_USER: "Administrator's name",
};
