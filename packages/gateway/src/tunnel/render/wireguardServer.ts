import { UnquotableError } from '../../rules/attempt.ts';
import { networkOf } from '../../rules/ipNetwork.ts';

/** A node as WireGuard knows it. */
export type WireguardPeer = {
  /** 32 bytes in base64, both. */
  publicKey: string;
  presharedKey: string;
  /** What the node may send from, and what is sent to it: networks, `10.88.0.2/32`. */
  allowedIps: readonly string[];
  /**
   * Where it was last, `198.51.100.7:51820`; null, or what is no address: wait until it comes. Roaming is not followed back
   * to this.
   */
  endpoint: string | null;
};

const KEY = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/;
const NETWORK = /^[0-9a-fA-F.:]{2,45}\/\d{1,3}$/;
const ENDPOINT = /^(?:(?<ipv4>\d{1,3}(?:\.\d{1,3}){3})|\[(?<ipv6>[0-9a-fA-F:.]{2,45})\]):(?<port>[1-9]\d{0,4})$/;

/**
 * The node still believes in a session that this end has forgotten, and may do so for minutes: with this, WireGuard
 * calls it at once. It is not said of a node that is there.
 */
const CALL = 'PersistentKeepalive = 25';

/** Whether it has the form of a WireGuard key. */
export const isWireguardKey = (text: unknown): text is string => typeof text === 'string' && KEY.test(text);

/**
 * The gateway's side of the tunnel, as `wg setconf` and `wg syncconf` take it: all of it or nothing. It holds private keys.
 * @throws {UnquotableError} for a value that is none; the names of nodes never get here
 */
export function renderWireguardServer(server: {
  privateKey: string;
  port: number;
  peers: readonly WireguardPeer[];
}): string {
  const lines = [
    '[Interface]',
    `PrivateKey = ${checked(server.privateKey, KEY, 'private key of the gateway')}`,
    `ListenPort = ${server.port}`,
  ];
  for (const peer of server.peers) lines.push('', ...peerLines(peer));
  return `${lines.join('\n')}\n`;
}

/** @throws {UnquotableError} */
function peerLines({ publicKey, presharedKey, allowedIps, endpoint }: WireguardPeer): string[] {
  return [
    '[Peer]',
    `PublicKey = ${checked(publicKey, KEY, 'public key of a node')}`,
    `PresharedKey = ${checked(presharedKey, KEY, 'preshared key of a node')}`,
    `AllowedIPs = ${allowedIps.map((each) => checked(each, NETWORK, 'network of a node')).join(', ')}`,
    ...(endpoint !== null && isReachable(endpoint) ? [`Endpoint = ${endpoint}`, CALL] : []),
  ];
}

/**
 * Whether WireGuard takes a place on any machine. One with a scope (`fe80::1%eth0`) names an interface, which may be gone,
 * and one node's place must not keep all others from the tunnel.
 */
function isReachable(endpoint: string): boolean {
  const { ipv4, ipv6, port } = ENDPOINT.exec(endpoint)?.groups ?? {};
  const address = ipv4 ?? ipv6;
  return address !== undefined && networkOf(address) !== null && Number(port) <= 65_535;
}

function checked(text: string, form: RegExp, what: string): string {
  if (!form.test(text)) throw new UnquotableError(`The ${what} is damaged.`);
  return text;
}
