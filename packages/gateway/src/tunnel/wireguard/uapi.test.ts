import { expect, it } from 'vitest';
import { readDump, readUapi } from './uapi.ts';

const HEX = ['1', '2'].map((key) => key.padStart(64, '0'));
const [heard, silent] = HEX.map((key) => Buffer.from(key, 'hex').toString('base64'));

const UAPI = `private_key=ff
listen_port=51820
public_key=${HEX[0]}
preshared_key=${'0'.repeat(64)}
endpoint=198.51.100.7:40000
last_handshake_time_sec=1795304475
last_handshake_time_nsec=676985060
tx_bytes=92
rx_bytes=180
allowed_ip=10.88.0.2/32
public_key=${HEX[1]}
last_handshake_time_sec=0
tx_bytes=0
rx_bytes=0
errno=0`;
const DUMP = `private\tpublic\t51820\toff
${heard}\t(none)\t198.51.100.7:40000\t10.88.0.2/32\t1795304475\t180\t92\toff
${silent}\t(none)\t(none)\t10.88.0.3/32\t0\t0\t0\toff
`;

it.each([
  ['a WireGuard in userspace', readUapi, UAPI, 'private_key=ff\nlisten_port=51820\nerrno=0'],
  ['the WireGuard of the kernel', readDump, DUMP, 'private\tpublic\t51820\toff\n'],
])('reads what %s knows of a node, and of one that it never heard', (_, read, answer, withoutNodes) => {
  expect(read(answer)).toEqual([
    { publicKey: heard, endpoint: '198.51.100.7:40000', handshakeAt: 1_795_304_475_000, rx: 180, tx: 92 },
    { publicKey: silent, endpoint: null, handshakeAt: null, rx: 0, tx: 0 },
  ]);
  expect(read(withoutNodes)).toEqual([]);
});
