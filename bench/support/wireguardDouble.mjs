/**
 * A program: what answers for a WireGuard interface in the place of `wireguard-go`, on the same socket and in the same
 * words, so that `wg` and the gateway cannot tell the difference. It takes the peers that it is given and sends no
 * packet; their counters move as its standard input last said. `node wireguardDouble.mjs INTERFACE` prints a line when it
 * answers, and after each line of its input, as JSON, at which moment each round of counters was told, in milliseconds
 * since 1970; it is to be killed.
 *
 * - `busy`: every question finds every counter moved; the round is in it (`ROUND`), and its moment is kept.
 * - `quiet`: nothing but the keep-alive of each peer, once in `KEEPALIVE_ROUNDS` questions.
 */
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { uapiPath } from '../../packages/gateway/src/tunnel/wireguard/uapi.ts';

/** What the counter of received bytes is divided by to tell the round; below it is the number of the peer. */
export const ROUND = 100_000;
const KEEPALIVE_ROUNDS = 10;
const KEEPALIVE_BYTES = 32;
const END = '\n\n';

/** @typedef {{ received: number, sent: number }} Counters */

/** The interface's part of the conversation. */
function createDouble() {
  /** @type {Map<string, Counters>} */
  const peers = new Map();
  /** @type {number[]} */
  const moments = [];
  let privateKey = '';
  let mode = 'quiet';
  let round = 0;
  const shaken = Math.floor(Date.now() / 1000);

  function move() {
    round += 1;
    let index = 0;
    for (const counters of peers.values()) {
      if (mode === 'busy') {
        counters.received = round * ROUND + index;
        counters.sent = round * ROUND + index;
      } else if (index % KEEPALIVE_ROUNDS === round % KEEPALIVE_ROUNDS) counters.received += KEEPALIVE_BYTES;
      index += 1;
    }
    if (mode === 'busy') moments[round] = performance.timeOrigin + performance.now();
  }

  function get() {
    const lines = privateKey === '' ? [] : [`private_key=${privateKey}`];
    lines.push('listen_port=51820');
    let index = 0;
    for (const [key, { received, sent }] of peers) {
      lines.push(
        `public_key=${key}`,
        `preshared_key=${'0'.repeat(64)}`,
        'protocol_version=1',
        `endpoint=198.51.100.${index % 250}:${40_000 + index}`,
        `last_handshake_time_sec=${shaken}`,
        'last_handshake_time_nsec=1',
        `tx_bytes=${sent}`,
        `rx_bytes=${received}`,
        'persistent_keepalive_interval=0',
        `allowed_ip=10.88.${(index + 2) >> 8}.${(index + 2) & 255}/32`,
      );
      index += 1;
    }
    return lines;
  }

  function set(lines) {
    let peer = '';
    for (const line of lines) {
      const [, key = '', value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
      if (key === 'private_key') privateKey = value;
      else if (key === 'replace_peers') peers.clear();
      else if (key === 'public_key') {
        peer = value;
        if (!peers.has(peer)) peers.set(peer, { received: 0, sent: 0 });
      } else if (key === 'remove') peers.delete(peer);
    }
  }

  return {
    moments,
    /** How its counters move from now on. */
    become: (name) => (mode = name),
    /** Answers one question or order. */
    answer(text) {
      const [verb, ...lines] = text.split('\n');
      if (verb === 'get=1') move();
      else set(lines);
      return [...(verb === 'get=1' ? get() : []), 'errno=0'].join('\n') + END;
    },
  };
}

async function main(interfaceName) {
  const double = createDouble();
  const server = createServer((socket) => {
    let text = '';
    socket.on('error', () => undefined);
    socket.setEncoding('latin1').on('data', (part) => {
      text += part;
      for (let end = text.indexOf(END); end !== -1; end = text.indexOf(END)) {
        socket.write(double.answer(text.slice(0, end)));
        text = text.slice(end + END.length);
      }
    });
  });
  const path = uapiPath(interfaceName);
  rmSync(path, { force: true });
  await once(server.listen(path), 'listening');
  process.stdout.write('0\n');
  for await (const line of createInterface({ input: process.stdin })) {
    double.become(line);
    process.stdout.write(`${JSON.stringify(double.moments)}\n`);
  }
}

if (import.meta.main) await main(process.argv[2] ?? '');
