/** Whether the gateway can reach remote nodes, and if not, why: a sentence for the administrator. */
export type TunnelStatus = { available: boolean; reason: string };

/** The VPN that joins the nodes to the gateway. */
export type Tunnel = { status(): TunnelStatus };

/** The tunnel that is not there. Only services of the local node can be reached. */
export function createAbsentTunnel(reason: string): Tunnel {
  return { status: () => ({ available: false, reason }) };
}
