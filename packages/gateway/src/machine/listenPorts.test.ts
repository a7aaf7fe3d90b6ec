import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { canListen, chooseIngressPorts, listenProblem } from './listenPorts.ts';

describe('canListen', () => {
  it('is false while somebody listens, on the address and on all of them, and true afterwards', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await canListen(port, '127.0.0.1')).toBe(false);
    expect(await canListen(port)).toBe(false);
    server.close();
    await once(server, 'close');
    expect(await canListen(port)).toBe(true);
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

describe('chooseIngressPorts', () => {
  const choose = (taken: number[]) => chooseIngressPorts((port) => Promise.resolve(!taken.includes(port)));

  it('takes the well-known pair only whole, then the high one, then the next', async () => {
    expect(await choose([])).toEqual({ http: 80, https: 443 });
    expect(await choose([443])).toEqual({ http: 8080, https: 8443 });
    expect(await choose([80, 8443])).toEqual({ http: 8081, https: 8444 });
    expect(await choose([80, 8080, 8444])).toEqual({ http: 8082, https: 8445 });
  });

  it('gives up with a sentence', async () => {
    await expect(chooseIngressPorts(() => Promise.resolve(false))).rejects.toThrow(/SALLYPORT_HTTP_PORT/);
  });
});
