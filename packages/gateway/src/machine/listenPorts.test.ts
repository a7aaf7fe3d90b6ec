import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { listenProblem, portIsFree } from './listenPorts.ts';

describe('a port', () => {
  it('is taken while a program listens, on the address and on all of them, and free afterwards', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await listenProblem('tcp', '127.0.0.1', port)).toBe('EADDRINUSE');
    expect(await portIsFree('tcp', port)).toBe(false);
    server.close();
    await once(server, 'close');
    expect(await portIsFree('tcp', port)).toBe(true);
  });

  it('says why: an address that this machine does not have', async () => {
    expect(await listenProblem('tcp', '192.0.2.1', 21_499)).toBe('EADDRNOTAVAIL');
  });

  it('knows UDP from TCP', async () => {
    // The system gives out TCP ports to every connection that is made meanwhile, but hardly ever one for UDP.
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await listenProblem('tcp', '127.0.0.1', port)).toBe('EADDRINUSE');
    expect(await listenProblem('udp', '127.0.0.1', port)).toBeNull();
    const socket = createSocket('udp4').bind(port, '127.0.0.1');
    await once(socket, 'listening');
    expect(await listenProblem('udp', '127.0.0.1', port)).toBe('EADDRINUSE');
    socket.close();
    server.close();
    await Promise.all([once(socket, 'close'), once(server, 'close')]);
  });
});
