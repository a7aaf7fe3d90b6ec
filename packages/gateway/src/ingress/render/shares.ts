/**
 * What a service may take of the connections that a worker of nginx has room for: each of its own takes two, one to the
 * visitor and one to the backend. The last eighth is for the console and for visitors who have not asked for anything yet.
 */
export const sharesOf = (connections: number) => ({
  /** Requests of HTTP services that lead to the same backend, and of all of a remote node's. */
  httpBackend: Math.floor((connections * 3) / 16),
  httpNode: Math.floor((connections * 3) / 16),
  /** Kept open to the backends of a remote node while nothing is asked of them. */
  idleOfNode: Math.floor(connections / 16),
  /** Of a public port, of all ports of a node, and of all ports. */
  port: Math.floor(connections / 8),
  portsOfNode: Math.floor((connections * 3) / 16),
  ports: Math.floor(connections / 4),
  /** Of all UDP ports: packets that anybody sends without an answer must not use up what there is for TCP. */
  udpPorts: Math.floor(connections / 8),
  /** Of the UDP ports of a node. */
  udpPortsOfNode: Math.floor((connections * 3) / 32),
  /** Requests to the gateway: of the console, by anybody who has not signed in yet, too, and of visitors who sign in. */
  gateway: Math.floor(connections / 16),
  /** Requests of one address to the console: a browser has 32 at most, in all of its windows. */
  consoleAddress: Math.floor(connections / 128),
});
