import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import {
  checkTrusted,
  guardFile,
  inDirectory,
  jsonText,
  makeDirectory,
  readDocument,
  writeDocument,
} from '../storedFile.ts';
import { Secret } from '../io.ts';
import { reserveConfig, reserveFile } from './reservedFile.ts';

/** Where a host keeps what it needs to be a node, unless `--config` or SALLYPORT_CONFIG says otherwise. */
export const HOST_CONFIG_FILE = '/etc/sallyport/config.json';
/** The name of the WireGuard interface, unless it is given. */
export const DEFAULT_INTERFACE = 'sallyport';
/** Linux takes 15 bytes; the name stands in commands that wg-quick runs as root. */
const INTERFACE_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,14}$/;
/** The flag that names it. */
export const interfaceFlag = {
  flags: {
    wgInterface: z.optional(
      z.string().check(z.regex(INTERFACE_NAME, { error: 'This field must be the name of an interface' })),
    ),
  },
  help: { wgInterface: { text: 'the name of the WireGuard interface; "sallyport" unless given', value: 'name' } },
};

const VERSION = 1;
/** As much as the configuration and the tunnel's file will ever take. */
const RESERVE_BYTES = 16_384;

/** What makes this host a node. */
export type HostConfig = {
  url: string;
  /** The other address at which this very gateway has answered; it takes the place of `url` once nothing answers there. */
  otherUrl?: string | undefined;
  token: Secret;
  /** The SHA-256 of the one key that is trusted, or of its certificate until the next contact; null: certificates are verified as usual. */
  pin: string | null;
  /** The name of the WireGuard interface. */
  interface: string;
  /** Whether the host is to be connected; what keeps it connected follows this. */
  connected: boolean;
  /**
   * Whether this host has agreed to send all its internet traffic through the gateway, and to use its DNS servers. Undefined,
   * as version 0.1.0 left it: as far as the tunnel that is there does.
   */
  allowInternet?: boolean | undefined;
  allowDns?: boolean | undefined;
  /**
   * The networks that the gateway may carry by the tunnel: that of the VPN, as it was at first, and what was agreed to later.
   * Undefined, as an older version left it: those of the tunnel that is there.
   */
  allowNetworks?: readonly string[] | undefined;
  /** The ports, as `tcp/8080`, that commands on this host have exposed: the gateway may reach those on its loopback address. */
  allowLoopback?: readonly string[] | undefined;
};

/** Whether `url` is an address of the gateway of this configuration. */
export const isGatewayAt = (config: Pick<HostConfig, 'url' | 'otherUrl'> | undefined, url: string): boolean =>
  config !== undefined && [config.url, config.otherUrl].includes(url);

/** What was agreed with one gateway goes for no other. */
export const NOTHING_AGREED = { allowInternet: false, allowDns: false, allowNetworks: [], allowLoopback: [] } as const;

/** What a host lets its gateway do. */
export type Consent = {
  allowInternet: boolean;
  allowDns: boolean;
  allowNetworks: readonly string[];
  allowLoopback: readonly string[];
};

/** Of that only what was agreed to is kept; the rest is as the tunnel that is there. */
export const keptConsent = ({ allowInternet, allowDns, allowNetworks, allowLoopback }: Consent): Partial<Consent> => ({
  ...(allowInternet && { allowInternet }),
  ...(allowDns && !allowInternet && { allowDns }),
  allowNetworks,
  ...(allowLoopback.length > 0 && { allowLoopback }),
});

const stored = z.object({
  version: z.int(),
  url: z.string().check(z.minLength(1)),
  otherUrl: z.optional(z.string().check(z.minLength(1))),
  token: z.string().check(z.minLength(1)),
  pin: z.nullable(z.string()),
  interface: z.string().check(z.regex(INTERFACE_NAME)),
  connected: z.boolean(),
  allowInternet: z.optional(z.boolean()),
  allowDns: z.optional(z.boolean()),
  allowNetworks: z.optional(z.array(z.string())),
  allowLoopback: z.optional(z.array(z.string().check(z.regex(/^(?:tcp|udp)\/\d{1,5}$/)))),
});

/** The host's configuration file. */
export type HostConfigFile = {
  readonly path: string;
  /** The directory that only root can read; the tunnel's own file stands there as well. */
  readonly directory: string;
  /** Undefined when there is none; a `Failure` when it cannot be read or understood. */
  read(): HostConfig | undefined;
  /** Replaces it as a whole, readable by its owner alone. */
  write(config: HostConfig): void;
  /** Replaces the pin of a configuration that still has the one before. What cannot be written stays as it is. */
  renewPin(before: string | null, next: string): void;
  /** Keeps where the gateway at `url` is, if that is still this host's. What cannot be written stays as it is. */
  keepAddresses(url: string, addresses: Pick<HostConfig, 'url' | 'otherUrl'>): void;
  /** Keeps what networks were agreed with the gateway at `url`, if that is still this host's. */
  keepNetworks(url: string, networks: readonly string[]): void;
  /** Keeps which ports of its loopback address the host lets the gateway at `url` reach, if that is still this host's. */
  keepLoopback(url: string, change: (ports: readonly string[]) => readonly string[]): void;
  /** Makes sure that it can be written, directory and disk space included, and leaves nothing behind. */
  prepare(): void;
  /** Takes the room for one that cannot be had a second time; makes the directory. When it cannot be put in place, the `Failure` says where it is. */
  reserve(): { write(config: HostConfig): void; release(): void };
};

/** The configuration at `path`. Reading makes nothing. */
export function openHostConfig(path: string): HostConfigFile {
  const directory = dirname(path);
  const advice = {
    path,
    purpose: "the host's configuration",
    elsewhere: 'name another file with --config',
    permission: 'Run the command as root, with sudo, or name another file with --config.',
    renew: 'join again with `sallyport login` or `sallyport config`',
  };
  const documentOf = ({ token, ...rest }: HostConfig) => ({ version: VERSION, ...rest, token: token.reveal() });

  const file: HostConfigFile = {
    path,
    directory,
    read() {
      const found = readDocument(advice, stored, VERSION);
      if (found === null) return undefined;
      const { version: _, token, ...rest } = found;
      return { ...rest, token: new Secret(token) };
    },
    write: (config) => writeDocument(advice, documentOf(config)),
    renewPin(before, next) {
      try {
        const found = file.read();
        if (found?.pin === before) file.write({ ...found, pin: next });
      } catch {
        // The pin that is there works as well, until the certificate is renewed.
      }
    },
    keepAddresses(url, addresses) {
      try {
        const found = file.read();
        if (found?.url === url) file.write({ ...found, ...addresses });
      } catch {
        // It is found out again at the next contact.
      }
    },
    keepNetworks(url, networks) {
      const found = file.read();
      if (found?.url === url) file.write({ ...found, allowNetworks: networks });
    },
    keepLoopback(url, change) {
      const found = file.read();
      if (found?.url !== url) return;
      const before = found.allowLoopback ?? [];
      const allowLoopback = change(before);
      if (allowLoopback.join() !== before.join()) file.write({ ...found, allowLoopback });
    },
    prepare() {
      checkTrusted(path);
      guardFile(advice, () => {
        const unmake = makeDirectory(directory);
        try {
          reserveFile(join(directory, '.trial'), RESERVE_BYTES).release();
        } finally {
          unmake();
        }
      });
    },
    reserve() {
      checkTrusted(path);
      const room = guardFile(advice, () => inDirectory(directory, () => reserveConfig(advice, RESERVE_BYTES)));
      return {
        release: room.release,
        write: (config) => room.write(jsonText(documentOf(config))),
      };
    },
  };
  return file;
}
