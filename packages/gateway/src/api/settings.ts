import type { AddressSource, Setting } from '@sallyport/sdk/contract';

/** Limits for the access tokens of one node; the administrator has none. */
export type NodeLimits = {
  services: number;
  publicPorts: number;
  /** Allowed and blocked addresses and bypass paths, of all services of the node together. */
  listEntries: number;
};

/** The settings of the gateway that its answers depend on. */
export type Settings = {
  /** The name or address by which visitors and nodes reach the gateway. */
  vpnHost: string;
  /** Who decided on it. */
  hostSource: AddressSource;
  /** The gateway's own names, in lower case: as a domain of a service they mean none. */
  hostNames: readonly string[];
  /** The machine's own name, in lower case; access tokens of nodes cannot take it. */
  machineName: string;
  /** Whether other machines may know that name or address. */
  isHostKnown: boolean;
  /** The port on which visitors reach services over HTTPS. */
  httpsPort: number;
  consolePort: number;
  /** CIDR, IPv4. */
  vpnSubnet: string;
  tcpPorts: { from: number; to: number };
  /** How much the access tokens of one node may make their node have. */
  nodeLimits: NodeLimits;
  /** What is shown of all settings as they count now; no secret. */
  shown(): readonly Setting[];
  /** Whether the settings of the start say the administrator's password. */
  isPasswordSet: boolean;
};
