import { attempt, UnquotableError } from '../../rules/attempt.ts';
import { boundTo, type ConfigText, listenOn, peer, quoted, whole } from './configText.ts';
import type {
  CertificateFiles,
  DesiredDomain,
  DesiredState,
  DesiredTcpService,
  RenderFault,
  RenderOptions,
} from './desiredState.ts';
import { accessRules } from './access.ts';
import { writeCertificate, writeTls } from './certificates.ts';
import { writeStreamLog } from './log.ts';
import { sharesOf } from './upstream.ts';

/** One service that is listened for, checked and ready to be written: everything that can fail has been done. */
export type TcpPlan = {
  id: number;
  nodeId: number;
  port: number;
  udp: boolean;
  /** Null: TLS is not ended here. */
  certificate: CertificateFiles | null;
  domainId: number | null;
  peers: string[];
  rules: string[];
};

// A client that vanished is found within two minutes, and the memory of routers on the way is kept fresh for those that
// are merely silent: they forget a connection after five minutes at the earliest.
const KEEP_ALIVE = 'so_keepalive=60s:15s:4';
// UDP knows no end of a conversation. Anyone who wants a silent one kept sends something every half a minute, as it must
// for the routers on its way; a longer time would keep a place for every question that a name server was ever asked.
const UDP_IDLE_SECONDS = 60;
/**
 * Each visitor who comes by UDP takes a port of the machine, of which Linux has 28,232 for all that it asks others by UDP,
 * name servers too. All workers together leave it more than a third, those of one node two thirds.
 */
const UDP_SOCKETS_MAX = { all: 16_384, node: 8192 };

/** Plans the services that are to be listened for; one that cannot be planned is left out. */
export function planTcpServices(
  { domains, tcpServices }: DesiredState,
  options: RenderOptions,
  faults: RenderFault[],
): TcpPlan[] {
  const byName = new Map(domains.map((domain) => [domain.domain, domain]));
  const ownPorts = new Set(Object.values(options.ports));
  return tcpServices.flatMap((service) => {
    if (!service.enabled || service.closed) return [];
    const blame = (reason: string, own = true): void =>
      void faults.push({ kind: 'tcpService', id: service.id, reason, own });
    const domain = service.domain === null ? null : (byName.get(service.domain) ?? null);
    if (service.ssl && service.domain !== null && (domain === null || domain.closed)) {
      blame('The certificate of its domain cannot be used, so it is closed. Look at the domain.', false);
      return [];
    }
    if (service.proto !== 'udp' && ownPorts.has(service.port)) {
      blame(`Port ${service.port} is used by the gateway itself. Choose another port.`);
      return [];
    }
    const plan = attempt(() => planTcpService(service, domain, options), blame);
    return plan === null ? [] : [plan];
  });
}

/** @throws {UnquotableError} when a value of the row cannot be written */
function planTcpService(
  service: DesiredTcpService,
  domain: DesiredDomain | null,
  { servicesCertificate }: RenderOptions,
): TcpPlan {
  const udp = service.proto === 'udp';
  if (udp && service.ssl) throw new UnquotableError('TLS cannot be ended for UDP. Turn it off, or choose TCP.');
  const certificate = domain === null ? servicesCertificate : domain.certificate;
  const addresses = udp ? firstOf(service.addresses) : service.addresses;
  const peers = addresses.map((address) => `server ${peer(address, service.backendPort)}`);
  if (peers.length === 0) throw new UnquotableError('The address of the backend is not known.');
  return {
    id: Number(whole(service.id, 1, Number.MAX_SAFE_INTEGER)),
    nodeId: Number(whole(service.nodeId, 1, Number.MAX_SAFE_INTEGER)),
    port: Number(whole(service.port, 1, 65_535)),
    udp,
    certificate: service.ssl ? certificate : null,
    domainId: domain?.id ?? null,
    peers,
    rules: [...accessRules(service), ...boundTo(service.sourceAddress)],
  };
}

/**
 * The one address for UDP, of which nginx does not see whether anybody listens there. In turns, a client's packets would
 * go on to another server after a reload. Private servers are reached by IPv6 less often.
 */
const firstOf = (addresses: readonly string[]): readonly string[] =>
  addresses.toSorted((a, b) => Number(a.includes(':')) - Number(b.includes(':'))).slice(0, 1);

/** The addresses that the service is listened for, as nginx names them. */
export const tcpAddresses = ({ port }: TcpPlan, { listen }: RenderOptions): string[] =>
  listen.map((host) => `${host}:${port}`);

/** How many sockets are listened on: for UDP each worker has one of its own. */
export const listenersOf = (plans: readonly TcpPlan[], { listen, workers }: RenderOptions): number =>
  plans.reduce((sum, { udp }) => sum + listen.length * (udp ? workers : 1), 0);

/** The servers of all TCP and UDP services, and whose connection is whose: in the log, and in what is counted. */
export function writeTcpServices(out: ConfigText, plans: readonly TcpPlan[], options: RenderOptions): void {
  // A port belongs to one service alone, whether TCP or UDP.
  writeIds(out, '$service_id', plans, ({ id }) => id);
  writeIds(out, '$domain_id', plans, ({ domainId }) => domainId);
  writeIds(out, '$node_id', plans, ({ nodeId }) => nodeId);
  for (const plan of plans) out.owned('tcpService', plan.id, () => writeServer(out, plan, options));
}

function writeIds(
  out: ConfigText,
  variable: string,
  plans: readonly TcpPlan[],
  idOf: (plan: TcpPlan) => number | null,
): void {
  out.block(`map $server_port ${variable}`, () => {
    for (const plan of plans) {
      const id = idOf(plan);
      if (id !== null) out.owned('tcpService', plan.id, () => out.line(`${plan.port} ${id}`));
    }
  });
}

function writeServer(out: ConfigText, plan: TcpPlan, { listen }: RenderOptions): void {
  // nginx compares each name with all others when it reads them: the part that differs comes first.
  const upstream = `${plan.id}.tcp`;
  out.block(`upstream ${upstream}`, () => {
    for (const each of plan.peers) out.line(each);
  });
  out.block('server', () => {
    for (const host of listen) out.line(`listen ${listenOn(host, plan.port)}${listenOptions(plan)}`);
    if (plan.certificate !== null) writeCertificate(out, plan.certificate);
    if (plan.udp) out.line(`proxy_timeout ${UDP_IDLE_SECONDS}s`);
    for (const rule of plan.rules) out.line(rule);
    out.line(`proxy_pass ${upstream}`);
  });
}

function listenOptions({ udp, certificate }: TcpPlan): string {
  // Without a socket for each worker the packets of one client would be spread over several, each with a session of its
  // own to the backend.
  if (udp) return ' udp reuseport';
  return `${certificate === null ? '' : ' ssl'} ${KEEP_ALIVE}`;
}

/** What the servers of all TCP and UDP services share. */
export function writeStream(out: ConfigText, { layout, connections, workers }: RenderOptions, servers: string): void {
  // What nginx has to say about single connections can be had by anybody, without end; the access log says enough.
  out.line(`error_log ${quoted(layout.errorLog)} emerg`);
  // A thousand ports fit at the first try.
  out.line('map_hash_max_size 8192');
  out.line('map_hash_bucket_size 512');
  writeTls(out, 'stream_tls');
  out.line('ssl_handshake_timeout 15s');
  out.line('proxy_connect_timeout 10s');
  // The time without a byte in either direction. A shell, a database's pool or a broker's client is silent for hours and
  // rightly so: what ends a connection is that its other end is gone, and keep-alive probes find that out.
  out.line('proxy_timeout 1d');
  out.line('proxy_socket_keepalive on');
  // A client that has said all still waits for its answer.
  if (layout.hasHalfClose) out.line('proxy_half_close on');
  writeShares(out, sharesOf(connections), workers);
  writeStreamLog(out, layout.accessLog);
  out.line(`include ${servers}`);
}

/**
 * Bounds what is open at once, so that no port takes the room of the others, of websites or of the console. A connection
 * can be silent for a day, and a packet from yet another address holds its place for a minute.
 */
function writeShares(
  out: ConfigText,
  { port, portsOfNode, udpPortsOfNode, udpPorts, ports }: ReturnType<typeof sharesOf>,
  workers: number,
): void {
  // Each worker has room of its own. And what one that was killed has left in the count counts for no other.
  const limit = (name: string, key: string, most: number): void => {
    out.line(`limit_conn_zone ${key} zone=${name}:4m`);
    out.line(`limit_conn ${name} ${most}`);
  };
  limit('port', '$pid:$server_port', port);
  limit('node', '$pid:$node_id', portsOfNode);
  // What has an empty key is not counted.
  out.block('map $protocol $udp_worker', () => out.line('UDP $pid'));
  limit('udp', '$udp_worker', Math.min(udpPorts, Math.ceil(UDP_SOCKETS_MAX.all / workers)));
  out.block('map $protocol $udp_node', () => out.line('UDP $pid:$node_id'));
  limit('udp_node', '$udp_node', Math.min(udpPortsOfNode, Math.ceil(UDP_SOCKETS_MAX.node / workers)));
  limit('ports', '$pid', ports);
}
