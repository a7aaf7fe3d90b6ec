import type { GatewayParts } from '../start/compose.ts';

/** A gateway's end of a tunnel on paper. */
export const testTunnelServer: Omit<GatewayParts['vpn'], 'sealedPrivateKey'> = {
  publicKey: 'c2FsbHlwb3J0LWdhdGV3YXktcHVibGljLWtleS0zMmI=',
  host: 'vpn.example.test',
  port: 51_820,
  subnet: '10.88.0.0/16',
  network: '10.88.0.0/16',
  gateway: '10.88.0.1',
  mtu: null,
  interface: 'sallyport0',
};
