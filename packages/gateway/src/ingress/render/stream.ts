import type { ConfigText } from './configText.ts';
import type { RenderOptions } from './desiredState.ts';
import { writeStreamLog } from './log.ts';
import { sharesOf } from './shares.ts';
import { quoted } from './text.ts';
import { writeTls } from './tls.ts';

/** What the servers of all TCP and UDP services share. */
export function writeStream(out: ConfigText, { layout, connections }: RenderOptions, servers: string): void {
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
  writeShares(out, sharesOf(connections));
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
  limit('udp', '$udp_worker', udpPorts);
  out.block('map $protocol $udp_node', () => out.line('UDP $pid:$node_id'));
  limit('udp_node', '$udp_node', udpPortsOfNode);
  limit('ports', '$pid', ports);
}
