import { describe, expect, it } from 'vitest';
import { dumpReadings, type PeerReadings, uapiReadings } from './uapi.ts';

type Said = { key: number; endpoint?: string; handshakeSeconds?: number; rx?: number; tx?: number };

const hexOf = (key: number): string => key.toString(16).padStart(64, '0');
const keyOf = (key: number): string => Buffer.from(hexOf(key), 'hex').toString('base64');

const uapi = (nodes: readonly Said[]): string =>
  [
    'private_key=ff',
    'listen_port=51820',
    ...nodes.flatMap(({ key, endpoint, handshakeSeconds = 0, rx = 0, tx = 0 }) => [
      `public_key=${hexOf(key)}`,
      `preshared_key=${hexOf(7)}`,
      ...(endpoint === undefined ? [] : [`endpoint=${endpoint}`]),
      `last_handshake_time_sec=${handshakeSeconds}`,
      'last_handshake_time_nsec=676985060',
      `tx_bytes=${tx}`,
      `rx_bytes=${rx}`,
      'allowed_ip=10.88.0.2/32',
    ]),
    'errno=0',
  ].join('\n');

const dump = (nodes: readonly Said[]): string =>
  [
    'private\tpublic\t51820\toff',
    ...nodes.map(
      ({ key, endpoint = '(none)', handshakeSeconds = 0, rx = 0, tx = 0 }) =>
        `${keyOf(key)}\t(none)\t${endpoint}\t10.88.0.2/32\t${handshakeSeconds}\t${rx}\t${tx}\toff`,
    ),
    '',
  ].join('\n');

describe.each([
  ['a WireGuard in userspace', uapi, uapiReadings],
  ['the WireGuard of the kernel', dump, dumpReadings],
])('%s', (_, write, create) => {
  const read = (readings: PeerReadings, nodes: readonly Said[]) => readings.of(Buffer.from(write(nodes), 'latin1'));
  const heard: Said = { key: 1, endpoint: '198.51.100.7:40000', handshakeSeconds: 1_795_304_475, rx: 180, tx: 92 };

  it('tells what it knows of a node, and of one that it never heard', () => {
    expect(read(create(), [heard, { key: 2 }])).toEqual([
      { publicKey: keyOf(1), endpoint: heard.endpoint, handshakeAt: 1_795_304_475_000, rx: 180, tx: 92 },
      { publicKey: keyOf(2), endpoint: null, handshakeAt: null, rx: 0, tx: 0 },
    ]);
    expect(read(create(), [])).toEqual([]);
  });

  it('tells the same as before of those that have not moved, in whatever order they come', () => {
    const readings = create();
    const [first, second, third] = read(readings, [heard, { key: 2 }, { key: 3, rx: 9 }]);
    const again = read(readings, [{ key: 3, rx: 9 }, { key: 2, rx: 32 }, heard]);
    expect(again.map(({ publicKey, rx }) => [publicKey, rx])).toEqual([
      [keyOf(3), 9],
      [keyOf(2), 32],
      [keyOf(1), 180],
    ]);
    expect(again[0]).toBe(third);
    expect(again[2]).toBe(first);
    expect(again[1]).not.toBe(second);
  });

  it('notices each change, also one that changes no length', () => {
    const readings = create();
    const values: Said[] = [
      heard,
      { ...heard, rx: 181 },
      { ...heard, tx: 93 },
      { ...heard, endpoint: '198.51.100.8:40000' },
      { ...heard, handshakeSeconds: 1_795_304_476 },
      heard,
    ];
    for (const said of values) {
      expect(read(readings, [said])).toEqual([
        {
          publicKey: keyOf(1),
          endpoint: said.endpoint,
          handshakeAt: Number(said.handshakeSeconds) * 1000,
          rx: said.rx,
          tx: said.tx,
        },
      ]);
    }
  });

  it('forgets a node that is gone, and reads it again when it is back', () => {
    const readings = create();
    const [before] = read(readings, [heard, { key: 2 }]);
    expect(read(readings, [{ key: 2 }])).toHaveLength(1);
    const [back] = read(readings, [heard, { key: 2 }]);
    expect(back).toEqual(before);
    expect(back).not.toBe(before);
  });
});
