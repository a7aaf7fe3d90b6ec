import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, isIPv6 } from 'node:net';
import { errorCode } from './errorCode.ts';

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

/** Whether a port can be listened on, on all addresses of both families. */
export const portIsFree = async (protocol: 'tcp' | 'udp', port: number): Promise<boolean> =>
  (await portProblem(protocol, port)) === null;

/** Why a port cannot be listened on on all addresses of both families; null: it can. */
export async function portProblem(protocol: 'tcp' | 'udp', port: number): Promise<string | null> {
  const problem = await listenProblem(protocol, '0.0.0.0', port);
  if (problem !== null) return problem;
  const other = await listenProblem(protocol, '::', port);
  // A machine without IPv6 has no program on it either.
  return other === 'EAFNOSUPPORT' || other === 'EADDRNOTAVAIL' ? null : other;
}
