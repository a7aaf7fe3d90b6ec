import { liveSettings, type Setting, type SettingName, settingName } from '@sallyport/sdk/contract';
import { type Config, isGiven } from '../config.ts';
import type { ChosenAddress } from './publicAddress.ts';
import { inUrl } from './startMessage.ts';

/** What became of the settings at the start. */
export type StartedWith = {
  address: ChosenAddress;
  /** Where everything is kept. */
  dataDirectory: string;
  ports: { http: number; https: number };
  /** The address of the authority's directory. */
  authority: string;
  logLevel: string;
};

/** Of a secret only this is told. */
const SECRET_IS_SET = 'set';

/** What administrators are shown of the settings as they count now: those of the contract's list, each with its source. */
export function shownSettings(config: Config, started: StartedWith): Setting[] {
  const { address, ports } = started;
  const { tcpPorts, vpn, oidc, nodeLimits, listen } = config;
  const values: Record<SettingName, string | number | null> = {
    SALLYPORT_VPN_HOST: address.host,
    SALLYPORT_HOST_NAMES: listed(config.hostNames),
    SALLYPORT_HTTP_PORT: ports.http,
    SALLYPORT_HTTPS_PORT: ports.https,
    SALLYPORT_PUBLIC_HTTPS_PORT: config.publicHttpsPort ?? ports.https,
    SALLYPORT_CONSOLE_PORT: config.ports.console,
    SALLYPORT_LISTEN: `${inUrl(listen.host)}:${listen.port}`,
    SALLYPORT_TCP_PORTS: `${tcpPorts.from}-${tcpPorts.to}`,
    SALLYPORT_TRUSTED_PROXIES: listed(config.trustedProxies),
    SALLYPORT_DNS_SERVERS: listed(config.dnsServers),
    SALLYPORT_DATA: started.dataDirectory,
    SALLYPORT_LOG_LEVEL: started.logLevel,
    SALLYPORT_TUNNEL: vpn.enabled ? 'on' : 'off',
    SALLYPORT_VPN_PORT: vpn.port,
    SALLYPORT_VPN_SUBNET: vpn.subnet,
    SALLYPORT_VPN_INTERFACE: vpn.interface,
    SALLYPORT_WIREDOOR_CLIENTS: config.wiredoorClients ? 'on' : 'off',
    SALLYPORT_ACME_URL: withoutSecrets(started.authority),
    SALLYPORT_ACME_EMAIL: config.acme.email,
    SALLYPORT_OIDC_ISSUER: oidc.issuer === null ? null : withoutSecrets(oidc.issuer),
    SALLYPORT_OIDC_CLIENT_ID: oidc.clientId,
    SALLYPORT_OIDC_CLIENT_SECRET: oidc.clientSecret === null ? null : SECRET_IS_SET,
    SALLYPORT_NODE_SERVICES: nodeLimits.services,
    SALLYPORT_NODE_PORTS: nodeLimits.publicPorts,
    SALLYPORT_NODE_LIST_ENTRIES: nodeLimits.listEntries,
    SALLYPORT_LOG_HISTORY_MB: config.logHistoryBytes / BYTES_IN_MB,
    SALLYPORT_ADMIN_USER: config.admin.username,
  };
  // Of an authority that no one chose the address is shown as well.
  const isChosen = (name: SettingName): boolean =>
    values[name] !== null && (name !== 'SALLYPORT_ACME_URL' || config.acme.authority !== null);
  const isStored = (name: SettingName): boolean =>
    STORED.includes(name) ||
    (name === 'SALLYPORT_VPN_HOST' && address.source === 'setting') ||
    (groupOf(name).length > 0 && isChosen(name));
  return settingName.options.map((name) => ({
    name,
    value: values[name] === null ? null : String(values[name]),
    source: isGiven(config, name) ? 'environment' : isStored(name) ? 'stored' : 'default',
    changeable:
      name === 'SALLYPORT_VPN_HOST'
        ? !isGiven(config, name)
        : groupOf(name).length > 0 && !groupOf(name).some((each) => isGiven(config, each)),
  }));
}

const BYTES_IN_MB = 1_000_000;
/** The settings that are changed with this one while the gateway runs; none: it is not. */
const groupOf = (name: SettingName): readonly SettingName[] =>
  Object.values<readonly SettingName[]>(liveSettings).find((names) => names.includes(name)) ?? [];

/** Kept since the first start, where nothing says them. */
const STORED: readonly SettingName[] = ['SALLYPORT_HTTP_PORT', 'SALLYPORT_HTTPS_PORT'];

const listed = (values: readonly string[]): string | null => (values.length === 0 ? null : values.join(', '));

/** An address may carry a password, or a key in its query. */
function withoutSecrets(address: string): string {
  const url = new URL(address);
  if (url.username === '' && url.password === '' && url.search === '' && url.hash === '') return address;
  return `${url.origin}${url.pathname}`;
}
