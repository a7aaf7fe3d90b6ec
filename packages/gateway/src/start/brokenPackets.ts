import type { Socket } from 'node:net';

/**
 * Gives the memory of requests that break HTTP back at once. Node puts up to 64 kB of what came with such a request
 * into its error, and the system gets little of that back when many of them have waited for the next large collection.
 * @param socket a new connection of an HTTP server
 */
export function giveBackBrokenPackets(socket: Socket): void {
  // Node has answered when it ends the connection with the error.
  socket.once('error', (error: Error & { rawPacket?: unknown }) => {
    const packet = error.rawPacket;
    if (!(packet instanceof Uint8Array) || !(packet.buffer instanceof ArrayBuffer)) return;
    // A small packet may lie in a memory that others share.
    if (packet.byteLength === packet.buffer.byteLength) packet.buffer.transfer(0);
  });
}
