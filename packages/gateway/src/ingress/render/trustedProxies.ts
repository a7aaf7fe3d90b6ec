import { type ConfigText, network, whole } from './configText.ts';
import type { RenderOptions } from './desiredState.ts';
import { FOR_VISITOR } from './responseHeaders.ts';

// A proxy in front ends the visitor's TLS and speaks HTTPS to nginx again, as a visitor would: all that is right for visitors
// stays right for it, but for their address. Without such proxies nothing of this is written.

type Fronted = Pick<RenderOptions, 'trustedProxies' | 'publicHttpsPort' | 'ports'>;

const HTTPS_PORT = 443;
/** Whether proxies pass visitors on, each on connections that are for all names. */
export const isFronted = ({ trustedProxies }: Pick<Fronted, 'trustedProxies'>): boolean => trustedProxies.length > 0;

/** Makes the visitor's address the one that a trusted proxy names, for all that counts addresses. */
export function writeTrustedProxies(out: ConfigText, options: Fronted): void {
  if (!isFronted(options)) return;
  const networks = options.trustedProxies.map(network);
  for (const each of networks) out.line(`set_real_ip_from ${each}`);
  out.line('real_ip_header X-Forwarded-For');
  // The last address that is no proxy's: what stands before it, the visitor may have sent along.
  out.line('real_ip_recursive on');
  // The address that holds the connection, not the one that it names.
  out.block('geo $realip_remote_addr $trusted_proxy', () => {
    out.line('default 0');
    for (const each of networks) out.line(`${each} 1`);
  });
  out.block('map $trusted_proxy:$http_x_forwarded_proto $visited_by', () => {
    out.line('"~*^1:http(?:[\\s,]|$)" http');
    out.line('"~*^1:https(?:[\\s,]|$)" https');
  });
  out.block('map $trusted_proxy $visited_port_number', () => {
    out.line('default $server_port');
    out.line(`1 ${whole(options.publicHttpsPort, 1, 65_535)}`);
  });
}

/** The variable of the port on which the visitor arrived. */
export const visitedPort = (options: Fronted): string => (isFronted(options) ? '$visited_port_number' : '$server_port');

/** The same address by HTTPS. */
export const httpsAddress = ({ publicHttpsPort }: Pick<Fronted, 'publicHttpsPort'>): string =>
  `https://$redirect_host${publicHttpsPort === HTTPS_PORT ? '' : `:${whole(publicHttpsPort, 1, 65_535)}`}$request_uri`;

/** In a server of HTTPS: a visitor who came to the proxy by plain HTTP goes on to HTTPS, as one who comes here does. */
export function sendPlainVisitsOn(out: ConfigText, options: Fronted): void {
  if (!isFronted(options)) return;
  out.block('if ($visited_by = http)', () => {
    // A cache that keeps it for those who came by HTTPS would send them in circles.
    out.line(FOR_VISITOR);
    out.line(`return 308 ${httpsAddress(options)}`);
  });
}

/** In the server of plain HTTP: a visitor who did come by HTTPS would be sent on to where they are, without end. */
export function refuseTlsEndedInFront(out: ConfigText, options: Fronted): void {
  if (!isFronted(options)) return;
  const text = `The proxy in front of this gateway speaks plain HTTP to it. Have it speak HTTPS to port ${whole(options.ports.https, 1, 65_535)}.`;
  out.block('if ($visited_by = https)', () => out.line(`return 421 "${text}\\n"`));
}
