import { hostname, homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import * as z from 'zod';
import { field, parseNetwork, PASSWORD_MAX_CHARS, PASSWORD_MIN_CHARS } from '@sallyport/sdk/contract';
import { errorCode } from './machine/errorCode.ts';
import { StartError } from './machine/startError.ts';
import { proxyInTunnel, readTrustedProxies } from './rules/trustedProxies.ts';
import { Secret } from './vault/secret.ts';

const PORT_MAX = 65_535;
const MB = 1_000_000;
const LOG_HISTORY_MAX_MB = 100_000;
/** A node's subnet must at least hold the gateway and one node. */
const SUBNET_PREFIX_MIN = 8;
const SUBNET_PREFIX_MAX = 30;
/** The kernel's limit for the name of an interface. */
const INTERFACE_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$/;

const isPort = (value: number): boolean => Number.isInteger(value) && value >= 1 && value <= PORT_MAX;

const port = z
  .string()
  .refine((text) => /^\d{1,5}$/.test(text) && isPort(Number(text)), 'must be a port, a number from 1 to 65535')
  .transform(Number);

const megabytes = z
  .string()
  .refine(
    (text) => /^[1-9]\d{0,5}$/.test(text) && Number(text) <= LOG_HISTORY_MAX_MB,
    `must be a number of megabytes from 1 to ${LOG_HISTORY_MAX_MB}`,
  )
  .transform(Number);

/** How many of something there may be. */
const limit = z
  .string()
  .refine((text) => /^(?:0|[1-9]\d{0,5})$/.test(text), 'must be a whole number from 0 to 999999')
  .transform(Number);

/** `HOST:PORT`; an IPv6 address stands in brackets. */
const listen = z.string().transform((text, context) => {
  const [, bracketed, plain, portText] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = plain === 'localhost' ? '127.0.0.1' : (bracketed ?? plain ?? '');
  if (isIP(host) === 0 || !isPort(Number(portText))) {
    context.addIssue('must be an address and a port, like 127.0.0.1:3000 or [::1]:3000');
    return z.NEVER;
  }
  return { host, port: Number(portText) };
});

const portRange = z.string().transform((text, context) => {
  const [, from, to] = /^(\d{1,5})-(\d{1,5})$/.exec(text) ?? [];
  const range = { from: Number(from), to: Number(to) };
  if (!isPort(range.from) || !isPort(range.to) || range.from > range.to) {
    context.addIssue('must be a range of ports, like 20000-20999');
    return z.NEVER;
  }
  return range;
});

const subnet = z.string().refine((text) => {
  const network = parseNetwork(text);
  return (
    network?.family === 4 &&
    network.prefix !== null &&
    network.prefix >= SUBNET_PREFIX_MIN &&
    network.prefix <= SUBNET_PREFIX_MAX
  );
}, 'must be an IPv4 network of /8 to /30, like 10.88.0.0/16');

const httpsUrl = z
  .string()
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), 'must be an http or https address');

/** Names, and no addresses: those need none. */
const hostNames = z.string().transform((text, context) => {
  const names = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((name) => name !== '');
  if (names.every((name) => isIP(name) === 0 && field.host.safeParse(name).success)) return names;
  context.addIssue('must be host names, like gateway.lan,gateway.local');
  return z.NEVER;
});

/** `ADDRESS` or `ADDRESS:PORT`; an IPv6 address with a port stands in brackets. */
const nameServers = z.string().transform((text, context) => {
  const servers = text
    .split(/[\s,]+/)
    .filter((server) => server !== '')
    .map((server) => {
      const { data } = listen.safeParse(server);
      if (data === undefined) return isIP(server) === 0 ? null : server;
      return `${isIP(data.host) === 6 ? `[${data.host}]` : data.host}:${data.port}`;
    });
  if (servers.every((server) => server !== null)) return servers;
  context.addIssue('must be addresses of name servers, like 192.0.2.53,[2001:db8::53]:5353');
  return z.NEVER;
});

const trustedProxies = z.string().transform((text, context) => {
  const read = readTrustedProxies(text);
  if ('networks' in read) return read.networks;
  context.addIssue(read.problem);
  return z.NEVER;
});

const secret = z.string().transform((text) => new Secret(text));
const absolutePath = z.string().refine(isAbsolute, 'must be an absolute path');

/** A public name must be known to others; the machine's own name is the best guess that asks no one. */
const defaultVpnHost = (): string => {
  const name = hostname().toLowerCase();
  return field.host.safeParse(name).success ? name : '127.0.0.1';
};

/** Root's data are the system's; anybody else's are their own. */
export const ROOT_DATA = '/var/lib/sallyport';
export const dataOfUser = (home: string): string => join(home, '.local', 'share', 'sallyport');

function defaultDataDirectory({ XDG_DATA_HOME: dataHome }: NodeJS.ProcessEnv): string {
  if (process.getuid?.() === 0) return ROOT_DATA;
  return dataHome ? join(dataHome, 'sallyport') : dataOfUser(homedir());
}

/**
 * Every setting of the gateway, read from the environment. An empty variable counts as absent, except for the password,
 * where it is more likely a mistake than a wish.
 */
const settings = z.object({
  /** The directory in which everything is kept. Default: /var/lib/sallyport for root, else the user's data directory. */
  SALLYPORT_DATA: z.string().optional(),
  /** The file with the key that seals the stored private keys; made when it is not there. Default: within SALLYPORT_DATA. */
  SALLYPORT_KEY_FILE: absolutePath.optional(),
  /** `1` starts although the key file is lost: keys that cannot be opened are replaced, and their hosts join again. */
  SALLYPORT_FORGET_KEYS: z.enum(['0', '1'], 'must be 1 or 0').default('0'),
  /** The gateway's own plain HTTP listener: an address and a port. nginx does not need it; keep it on loopback. */
  SALLYPORT_LISTEN: listen.default({ host: '127.0.0.1', port: 3000 }),
  /** The port on which nginx serves the console over HTTPS. */
  SALLYPORT_CONSOLE_PORT: port.default(9443),
  /** The port of plain HTTP for visitors. Default: 80 if it can be had at the first start, else 8080 or the next one that is free; then stored. */
  SALLYPORT_HTTP_PORT: port.optional(),
  /** The port of HTTPS for visitors. Default: 443 if it can be had at the first start, else 8443 or the next one that is free; then stored. */
  SALLYPORT_HTTPS_PORT: port.optional(),
  /** Addresses and networks of proxies in front, separated by commas: they say who the visitor is. Default: none. */
  SALLYPORT_TRUSTED_PROXIES: trustedProxies.default([]),
  /** The port by which visitors reach HTTPS, where a proxy or a router in front has another. Default: SALLYPORT_HTTPS_PORT. */
  SALLYPORT_PUBLIC_HTTPS_PORT: port.optional(),
  /** The administrator's name. */
  SALLYPORT_ADMIN_USER: z.string().max(200, 'must have at most 200 characters').default('admin'),
  /** The administrator's password, at each start. Default: made up at the first start. */
  SALLYPORT_ADMIN_PASSWORD: z
    .string()
    .min(PASSWORD_MIN_CHARS, `must have at least ${PASSWORD_MIN_CHARS} characters`)
    .max(PASSWORD_MAX_CHARS, `must have at most ${PASSWORD_MAX_CHARS} characters`)
    .pipe(secret)
    .optional(),
  /** A file that holds it instead. */
  SALLYPORT_ADMIN_PASSWORD_FILE: absolutePath.optional(),
  /** The name or address by which visitors and nodes reach this machine. Default: what was chosen at the first start or in the console. */
  SALLYPORT_VPN_HOST: z
    .string()
    .refine((text) => field.host.safeParse(text).success, 'must be a host name or an IP address')
    .default(defaultVpnHost),
  /** Further names that lead to this machine, separated by commas: services without a domain answer to them as well. */
  SALLYPORT_HOST_NAMES: hostNames.default([]),
  /** Name servers that are asked where domains lead, separated by commas. Default: those of this machine. */
  SALLYPORT_DNS_SERVERS: nameServers.default([]),
  /** The UDP port to which nodes connect. */
  SALLYPORT_VPN_PORT: port.default(51_820),
  /** The network in which nodes get their addresses; its first address is the gateway's own. */
  SALLYPORT_VPN_SUBNET: subnet.default('10.88.0.0/16'),
  /** The name of the tunnel's network interface. */
  SALLYPORT_VPN_INTERFACE: z.string().regex(INTERFACE_NAME, 'must be the name of an interface').default('sallyport0'),
  /** Whether remote nodes can join: `on`, or `off` for a gateway that exposes services of its own machine alone. */
  SALLYPORT_TUNNEL: z.enum(['on', 'off'], 'must be on or off').default('on'),
  /** The ports from which TCP and UDP services get theirs, `FROM-TO`. */
  SALLYPORT_TCP_PORTS: portRange.default({ from: 20_000, to: 20_999 }),
  /**
   * `on` where nodes of a Wiredoor server were taken over and go on with its programs: services without a domain share their
   * names with the calls `/api/cli/` and `/api/config` of its command line, and nodes reach SALLYPORT_HTTPS_PORT at the
   * gateway's address in the tunnel, which its watchdog asks for.
   */
  SALLYPORT_WIREDOOR_CLIENTS: z.enum(['on', 'off'], 'must be on or off').default('off'),
  /** How many services a node's access tokens may make their node have; administrators are not limited. */
  SALLYPORT_NODE_SERVICES: limit.default(200),
  /** How many public ports of TCP and UDP services they may make it have. */
  SALLYPORT_NODE_PORTS: limit.default(50),
  /** How many allowed and blocked addresses and bypass paths its services may have together. */
  SALLYPORT_NODE_LIST_ENTRIES: limit.default(1000),
  /** The directory of the certificate authority. Default: what the console says, or that of Let's Encrypt. */
  SALLYPORT_ACME_URL: httpsUrl.optional(),
  /** Where the certificate authority writes to, for example before a certificate ends. Default: what the console says. */
  SALLYPORT_ACME_EMAIL: z
    .string()
    .refine((text) => field.email.safeParse(text).success, 'must be an e-mail address')
    .optional(),
  /** The identity provider that visitors of protected services sign in with, and this gateway's account there. Default: what the console says. */
  SALLYPORT_OIDC_ISSUER: httpsUrl.optional(),
  SALLYPORT_OIDC_CLIENT_ID: z.string().optional(),
  SALLYPORT_OIDC_CLIENT_SECRET: secret.optional(),
  /** A file that holds the secret of that account instead. */
  SALLYPORT_OIDC_CLIENT_SECRET_FILE: absolutePath.optional(),
  /** Megabytes of log lines that are kept on disk for each service and for each domain. */
  SALLYPORT_LOG_HISTORY_MB: megabytes.default(10),
  /** How much the gateway logs: `debug`, `info`, `warn` or `error`. Default: `warn` on a terminal, else `info`. */
  SALLYPORT_LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error'], 'must be one of debug, info, warn, error').optional(),
});

/** A service that got a port of the gateway's would keep it from starting, and a former port of the console leads to its sessions. */
function requirePortsApart(value: z.infer<typeof settings>): void {
  const { from, to } = value.SALLYPORT_TCP_PORTS;
  const own = {
    SALLYPORT_LISTEN: value.SALLYPORT_LISTEN.port,
    SALLYPORT_CONSOLE_PORT: value.SALLYPORT_CONSOLE_PORT,
    SALLYPORT_HTTP_PORT: value.SALLYPORT_HTTP_PORT,
    SALLYPORT_HTTPS_PORT: value.SALLYPORT_HTTPS_PORT,
    ...(value.SALLYPORT_TUNNEL === 'on' && { SALLYPORT_VPN_PORT: value.SALLYPORT_VPN_PORT }),
  };
  for (const [name, number] of Object.entries(own)) {
    if (number === undefined || number < from || number > to) continue;
    throw new StartError(
      `${name} must be outside of SALLYPORT_TCP_PORTS (${from}-${to}), from which services get their ports.`,
    );
  }
}

/** Programs of a node's host reach the gateway from an address in the tunnel. */
function requireProxiesOutsideTunnel(value: z.infer<typeof settings>): void {
  const { SALLYPORT_TRUSTED_PROXIES: proxies, SALLYPORT_VPN_SUBNET: network } = value;
  const inTunnel = value.SALLYPORT_TUNNEL === 'on' ? proxyInTunnel(proxies, network) : null;
  if (inTunnel === null) return;
  throw new StartError(
    `SALLYPORT_TRUSTED_PROXIES must not have ${inTunnel}: it shares addresses with the network of nodes (SALLYPORT_VPN_SUBNET, ${network}), and their hosts could then name any visitor. Name the addresses of the proxy alone.`,
  );
}

/** Whether the environment says a setting, or the file that holds its secret. */
export const isGiven = ({ given }: { given: ReadonlySet<string> }, name: string): boolean =>
  given.has(name) || given.has(`${name}_FILE`);

/** The names of all settings. */
export const settingVariables: readonly string[] = Object.keys(settings.shape);

/** Secrets that a file may hold, as containers are given them. */
export const SECRETS: readonly string[] = ['SALLYPORT_ADMIN_PASSWORD', 'SALLYPORT_OIDC_CLIENT_SECRET'];

/** Those that are given by their files. @throws {StartError} */
function secretsInFiles(given: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    SECRETS.flatMap((name) => {
      const file = given[`${name}_FILE`];
      if (file === undefined || !isAbsolute(file)) return [];
      if (given[name] !== undefined) {
        throw new StartError(`${name} and ${name}_FILE are both set. Leave one of the two out.`);
      }
      try {
        return [[name, readFileSync(file, 'utf8').replace(/\r?\n$/, '')]];
      } catch (error) {
        const reason = errorCode(error);
        throw new StartError(
          `${name}_FILE: ${file} cannot be read (${reason}). Name a file that this account may read.`,
          { cause: error },
        );
      }
    }),
  );
}

/** The settings, read and checked. */
export type Config = ReturnType<typeof readConfig>;

/** The settings that the environment gives, as texts, with the secrets out of their files. @throws {StartError} */
export function givenSettings(env: NodeJS.ProcessEnv): Record<string, string> {
  const given = Object.fromEntries(
    Object.keys(settings.shape).flatMap((name) => {
      const value = env[name];
      return value === undefined || (value === '' && name !== 'SALLYPORT_ADMIN_PASSWORD') ? [] : [[name, value]];
    }),
  );
  return { ...given, ...secretsInFiles(given) };
}

/** @throws {StartError} with one sentence that names the variable and what it must be */
export function readConfig(env: NodeJS.ProcessEnv) {
  const given = givenSettings(env);
  const result = settings.safeParse(given);
  if (!result.success) {
    const [issue] = result.error.issues;
    throw new StartError(`${String(issue?.path[0])} ${issue?.message}.`);
  }
  const value = result.data;
  requirePortsApart(value);
  requireProxiesOutsideTunnel(value);
  return {
    /** The settings that the environment says; all others are stored or by default. */
    given: new Set(Object.keys(given)) as ReadonlySet<string>,
    dataDirectory: value.SALLYPORT_DATA ?? defaultDataDirectory(env),
    keyFile: value.SALLYPORT_KEY_FILE ?? null,
    forgetKeys: value.SALLYPORT_FORGET_KEYS === '1',
    listen: value.SALLYPORT_LISTEN,
    ports: {
      console: value.SALLYPORT_CONSOLE_PORT,
      http: value.SALLYPORT_HTTP_PORT ?? null,
      https: value.SALLYPORT_HTTPS_PORT ?? null,
    },
    trustedProxies: value.SALLYPORT_TRUSTED_PROXIES,
    /** The visitors' port of HTTPS, where it is not the one that nginx listens on. */
    publicHttpsPort: value.SALLYPORT_PUBLIC_HTTPS_PORT ?? null,
    admin: { username: value.SALLYPORT_ADMIN_USER, password: value.SALLYPORT_ADMIN_PASSWORD ?? null },
    hostNames: value.SALLYPORT_HOST_NAMES,
    dnsServers: value.SALLYPORT_DNS_SERVERS,
    vpn: {
      host: value.SALLYPORT_VPN_HOST,
      /** Whether the environment says it; else it is the machine's own name, for where nothing better is stored. */
      isHostGiven: given['SALLYPORT_VPN_HOST'] !== undefined,
      port: value.SALLYPORT_VPN_PORT,
      subnet: value.SALLYPORT_VPN_SUBNET,
      interface: value.SALLYPORT_VPN_INTERFACE,
      enabled: value.SALLYPORT_TUNNEL === 'on',
    },
    tcpPorts: value.SALLYPORT_TCP_PORTS,
    wiredoorClients: value.SALLYPORT_WIREDOOR_CLIENTS === 'on',
    nodeLimits: {
      services: value.SALLYPORT_NODE_SERVICES,
      publicPorts: value.SALLYPORT_NODE_PORTS,
      listEntries: value.SALLYPORT_NODE_LIST_ENTRIES,
    },
    acme: { authority: value.SALLYPORT_ACME_URL ?? null, email: value.SALLYPORT_ACME_EMAIL ?? null },
    oidc: {
      issuer: value.SALLYPORT_OIDC_ISSUER ?? null,
      clientId: value.SALLYPORT_OIDC_CLIENT_ID ?? null,
      clientSecret: value.SALLYPORT_OIDC_CLIENT_SECRET ?? null,
    },
    logHistoryBytes: value.SALLYPORT_LOG_HISTORY_MB * MB,
    logLevel: value.SALLYPORT_LOG_LEVEL ?? null,
  };
}
