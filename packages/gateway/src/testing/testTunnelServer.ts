import type { TunnelServer } from '../tunnel/render/wireguardClient.ts';

/** A gateway's end of a tunnel on paper. */
export const testTunnelServer: TunnelServer & { interface: string } = {
  publicKey: 'c2FsbHlwb3J0LWdhdGV3YXktcHVibGljLWtleS0zMmI=',
  host: 'vpn.example.test',
  port: 51_820,
  subnet: '10.88.0.0/16',
  mtu: null,
  interface: 'sallyport0',
};
