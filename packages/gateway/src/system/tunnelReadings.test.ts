import { expect, it } from 'vitest';
import { readPeers } from './uapi.ts';
import { readDump } from './wireguardDevice.ts';

const HEX = 'a'.repeat(64);
const BASE64 = Buffer.from(HEX, 'hex').toString('base64');

it('reads the same of a node from both kinds of WireGuard', () => {
  const peer = { publicKey: BASE64, endpoint: '198.51.100.7:40000', handshakeAt: 1_795_304_475_000, rx: 180, tx: 92 };
  const silent = { publicKey: BASE64, endpoint: null, handshakeAt: null, rx: 0, tx: 0 };
  expect(
    readPeers(
      [
        'private_key=ff',
        'listen_port=51820',
        `public_key=${HEX}`,
        'endpoint=198.51.100.7:40000',
        'last_handshake_time_sec=1795304475',
        'last_handshake_time_nsec=676985060',
        'tx_bytes=92',
        'rx_bytes=180',
        'allowed_ip=10.88.0.2/32',
        `public_key=${HEX}`,
        'last_handshake_time_sec=0',
        'tx_bytes=0',
        'rx_bytes=0',
        'errno=0',
      ].join('\n'),
    ),
  ).toEqual([peer, silent]);
  expect(
    readDump(
      [
        'private\tpublic\t51820\toff',
        `${BASE64}\t(none)\t198.51.100.7:40000\t10.88.0.2/32\t1795304475\t180\t92\toff`,
        `${BASE64}\t(none)\t(none)\t10.88.0.3/32\t0\t0\t0\toff`,
        '',
      ].join('\n'),
    ),
  ).toEqual([peer, silent]);
});
