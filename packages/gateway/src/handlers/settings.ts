/** The settings of the gateway that its answers depend on. */
export type Settings = {
  /** The name or address by which visitors and nodes reach the gateway. */
  vpnHost: string;
  /** The port on which visitors reach services over HTTPS. */
  httpsPort: number;
  consolePort: number;
  /** CIDR, IPv4. */
  vpnSubnet: string;
  tcpPorts: { from: number; to: number };
};
