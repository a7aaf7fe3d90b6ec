import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, isIPv6 } from 'node:net';
import { StartError } from './startError.ts';

/** The ports on which visitors arrive. */
export type IngressPorts = { http: number; https: number };

const FIRST_CHOICES: IngressPorts[] = [
  { http: 80, https: 443 },
  { http: 8080, https: 8443 },
];
const MORE_PAIRS = 100;

/**
 * Why a port cannot be listened on right now, in the words of the system (`EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL`), or
 * null when it can. It really binds, and closes again.
 */
export async function listenProblem(protocol: 'tcp' | 'udp', host: string, port: number): Promise<string | null> {
  return protocol === 'tcp' ? tcpProblem(host, port) : udpProblem(host, port);
}

async function tcpProblem(host: string, port: number): Promise<string | null> {
  const server = createServer();
  try {
    server.listen({ host, port, ipv6Only: isIPv6(host), exclusive: true });
    await once(server, 'listening');
  } catch (error) {
    return errorCode(error);
  }
  server.close();
  await once(server, 'close');
  return null;
}

async function udpProblem(host: string, port: number): Promise<string | null> {
  const socket = createSocket({ type: isIPv6(host) ? 'udp6' : 'udp4', ipv6Only: isIPv6(host) });
  try {
    socket.bind({ address: host, port, exclusive: true });
    await once(socket, 'listening');
    return null;
  } catch (error) {
    return errorCode(error);
  } finally {
    await new Promise<void>((resolve) => {
      socket.close(resolve);
    });
  }
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

/** Whether a TCP port can be listened on: on one address, or on all of both families when none is given. */
export async function canListen(port: number, host?: string): Promise<boolean> {
  return host === undefined ? portIsFree('tcp', port) : (await listenProblem('tcp', host, port)) === null;
}

/** Whether a port can be listened on, on all addresses of both families. */
export async function portIsFree(protocol: 'tcp' | 'udp', port: number): Promise<boolean> {
  if ((await listenProblem(protocol, '0.0.0.0', port)) !== null) return false;
  const other = await listenProblem(protocol, '::', port);
  // A machine without IPv6 has nobody on it either.
  return other === null || other === 'EAFNOSUPPORT' || other === 'EADDRNOTAVAIL';
}

/**
 * The ports for the first start: 80 and 443 when both can be had, else 8080 and 8443, else the next pair that is free.
 * The caller stores them, so that they never move by themselves.
 * @throws {StartError} when none of a hundred pairs is free
 */
export async function chooseIngressPorts(free: (port: number) => Promise<boolean> = canListen): Promise<IngressPorts> {
  const pairs = [
    ...FIRST_CHOICES,
    ...Array.from({ length: MORE_PAIRS }, (_, index) => ({ http: 8081 + index, https: 8444 + index })),
  ];
  for (const pair of pairs) {
    if ((await free(pair.http)) && (await free(pair.https))) return pair;
  }
  throw new StartError(
    'No free pair of ports was found for the ingress. Name two with SALLYPORT_HTTP_PORT and SALLYPORT_HTTPS_PORT.',
  );
}
