import type { ConfigText } from './configText.ts';
import type { RenderOptions } from './desiredState.ts';
import { writeStreamLog } from './log.ts';
import { quoted } from './text.ts';
import { writeTls } from './tls.ts';

/** What the servers of all TCP and UDP services share. */
export function writeStream(out: ConfigText, { layout }: RenderOptions, servers: string): void {
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
  writeStreamLog(out, layout.accessLog);
  out.line(`include ${servers}`);
}
