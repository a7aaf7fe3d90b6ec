import { NOTHING_REFUSED, type Tunnel, type TunnelStatus } from './tunnel.ts';

const STATUS: TunnelStatus = {
  available: false,
  reason: 'It is turned off by SALLYPORT_TUNNEL=off.',
  fix: 'Start the gateway without it.',
};

/** The tunnel that nobody wants. Only services of the local node can be reached. */
export function createAbsentTunnel(): Tunnel {
  return {
    status: () => STATUS,
    present: () => false,
    apply: () => Promise.resolve({ ...NOTHING_REFUSED, status: STATUS }),
    read: () => Promise.resolve(null),
    onDamage: () => () => undefined,
    remove: () => Promise.resolve(),
    close: () => undefined,
  };
}
