import { expect, it } from 'vitest';
import { lastSign } from './checkAddress.ts';

it('asks the tunnel when a node was last heard, since what is stored is older', async () => {
  const tunnel = async () => [{ handshakeAt: null }, { handshakeAt: 900 }];
  expect(await lastSign([100, 400], tunnel)).toBe(900);
  expect(await lastSign([], tunnel)).toBe(900);
});

it('says what is stored where the tunnel is gone or cannot be asked', async () => {
  expect(await lastSign([100, 400], async () => [])).toBe(400);
  expect(await lastSign([100], () => Promise.reject(new Error('WireGuard ended.')))).toBe(100);
  expect(await lastSign([], async () => [{ handshakeAt: null }])).toBeNull();
});
