import { KEPT_MEMORY } from '../../rules/keptMemory.ts';
import { type ConfigText, listenOn, quoted, whole } from './configText.ts';
import type { RenderOptions } from './desiredState.ts';
import { NAME_PLACES } from './domain.ts';
import { writeErrorPages, writePages } from './pages.ts';
import { writeHeaderVariables, writeProxyHeaders } from './proxyHeaders.ts';
import { httpsAddress, refuseTlsEndedInFront, visitedPort, writeTrustedProxies } from './trustedProxies.ts';
import {
  IGNORED_HEADERS,
  writeCachingVariable,
  writeHstsVariables,
  writeUpgradeVariables,
  writeWholeNameVariables,
} from './responseHeaders.ts';
import { writePathVariables } from './ambiguousPaths.ts';
import { writeSignInVariables } from './signIn.ts';
import { writeLog } from './log.ts';
import { writeHostVariables } from './visitedHost.ts';
import { sharesOf } from './upstream.ts';
import { writeStream } from './tcpService.ts';
import { writeTls } from './certificates.ts';

/** The files that the main file includes. */
export type Includes = {
  http: readonly string[];
  /** The TCP and UDP services, and on how many sockets they listen; null: there are none. */
  tcp: { path: string; listeners: number } | null;
};

/** The main file: what all servers share. */
export function writeMain(out: ConfigText, options: RenderOptions, { http, tcp }: Includes): void {
  const { layout } = options;
  // Only when someone needs it: a module that is damaged must not keep web servers from being served.
  if (tcp !== null && layout.streamModule !== null) out.line(`load_module ${quoted(layout.streamModule)}`);
  if (layout.headersModule !== null) out.line(`load_module ${quoted(layout.headersModule)}`);
  out.line('daemon on');
  // An nginx that starts the next one gives it nothing else of its environment.
  out.line(`env GLIBC_TUNABLES=${KEPT_MEMORY}`);
  if (layout.workerUser !== null) out.line(`user ${quoted(layout.workerUser.name)}`);
  out.line(`worker_processes ${whole(options.workers, 1, 1024)}`);
  // An old worker lives as long as its connections, so that a reload cuts neither a download nor a WebSocket of another
  // service. After half an hour its memory is worth more than the connection, which its client can make again.
  out.line('worker_shutdown_timeout 30m');
  out.line('pcre_jit on');
  out.line(`pid ${quoted(layout.pidFile)}`);
  out.line(`error_log ${quoted(layout.errorLog)} warn`);
  // A socket that is listened on takes the place of a connection.
  out.block('events', () => out.line(`worker_connections ${options.connections + (tcp?.listeners ?? 0)}`));
  out.block('http', () => {
    // What nginx has to say about a single request names its query, secrets included; the access log says enough.
    out.line(`error_log ${quoted(layout.errorLog)} emerg`);
    writeBasics(out, layout.tmp);
    writeTls(out, 'tls');
    writeProxy(out);
    writeTrustedProxies(out, options);
    writeNodeShare(out, options);
    writeHeaderVariables(out);
    writeHstsVariables(out);
    writeUpgradeVariables(out, layout);
    writeWholeNameVariables(out);
    writeCachingVariable(out);
    writeSignInVariables(out);
    writePathVariables(out);
    writeProxyHeaders(out, '$backend_cookies', { port: visitedPort(options) });
    writePages(out);
    writeLog(out, layout.accessLog);
    writeHostVariables(out, options);
    writeStatusServer(out, layout);
    writeHttpServer(out, options);
    for (const path of http) out.line(`include ${path}`);
  });
  if (tcp !== null) out.block('stream', () => writeStream(out, options, tcp.path));
}

function writeBasics(out: ConfigText, tmp: string): void {
  out.line('default_type text/html');
  out.line('server_tokens off');
  out.line('sendfile on');
  out.line('tcp_nopush on');
  out.line('keepalive_timeout 65s');
  // An old worker keeps a connection of HTTP/2 whose handshake ends after it was told to close, and answers there what is
  // asked as before the change (nginx 1.22).
  out.line('keepalive_time 60s');
  out.line('keepalive_requests 100000');
  out.line('reset_timedout_connection on');
  // What is worked out for a request, its headers for the backend and its line of the log, fits into one piece.
  out.line('request_pool_size 12k');
  out.line('client_header_timeout 30s');
  out.line('client_header_buffer_size 4k');
  // As much in all as nginx takes by itself, and twice as long a cookie: HTTP/2 can name a header of 4 kB with one byte, each
  // stream of a connection may fill these buffers, and what is not answered keeps them twice.
  out.line('large_client_header_buffers 2 16k');
  out.line('http2_max_concurrent_streams 32');
  // A name of 253 characters fits a bucket; thousands of names are spread thinly.
  out.line('server_names_hash_bucket_size 512');
  out.line(`server_names_hash_max_size ${NAME_PLACES}`);
  out.line('variables_hash_max_size 2048');
  // Services within each other have two or three variables each, by the hundred.
  out.line('variables_hash_bucket_size 512');
  // A name of 253 characters is a key of the map of the gateway's own names, too.
  out.line('map_hash_bucket_size 512');
  out.line(`map_hash_max_size ${NAME_PLACES}`);
  for (const kind of ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']) {
    out.line(`${kind}_temp_path ${quoted(`${tmp}/${kind}`)}`);
  }
}

function writeProxy(out: ConfigText): void {
  out.line('proxy_http_version 1.1');
  // Bytes go on as they come, both ways: event streams are not held back, and no upload or download touches the disk.
  // A backend of the gateway's own machine may still ask for buffering with X-Accel-Buffering.
  out.line('proxy_buffering off');
  out.line('proxy_buffer_size 32k');
  out.line('proxy_buffers 8 32k');
  out.line('proxy_busy_buffers_size 64k');
  out.line('proxy_max_temp_file_size 0');
  out.line('proxy_request_buffering off');
  out.line('client_max_body_size 0');
  out.line('proxy_connect_timeout 10s');
  // The time between two reads: a WebSocket or an event stream may be silent for an hour.
  out.line('proxy_read_timeout 1h');
  out.line('proxy_send_timeout 5m');
  out.line('proxy_socket_keepalive on');
  // A backend must not be able to reach another service's location.
  out.line(`proxy_ignore_headers ${IGNORED_HEADERS}`);
  out.line('proxy_headers_hash_max_size 1024');
  out.line('proxy_headers_hash_bucket_size 128');
  writeUnframedAnswers(out);
  // Private backends have certificates that no one signed: the connection is encrypted, their identity is not checked.
  // They are asked for the name that they get as the Host.
  out.line('proxy_ssl_server_name on');
  out.line('proxy_ssl_name $told_host');
  out.line('proxy_ssl_protocols TLSv1.2 TLSv1.3');
  // A server chooses the group, and a large one of a finite field costs up to seconds of the processor in one handshake.
  out.line('proxy_ssl_ciphers DEFAULT:!kDHE');
  out.line('proxy_ssl_conf_command Groups X25519:P-256:P-384:P-521');
}

/**
 * Without these, nothing is the head of an answer: clients look for `HTTP` or `ICY ` (Firefox), or for some protocol and its version,
 * as Node does for `RTSP/1.1` and `ICE/1.1`. nginx looks for letters in either case.
 */
const HEADS = ['http', '"icy "', '/0.', '/1.', '/2.'];

/**
 * nginx passes on what follows an answer below 200, or one without a header (009), as it came, and keeps the visitor's
 * connection; after 205 browsers look for no body, and nginx for one. A backend could answer there what is asked of
 * another service next. Any other answer is not looked at, and what follows an accepted upgrade does not come this way.
 */
function writeUnframedAnswers(out: ConfigText): void {
  for (const [index, head] of HEADS.entries()) {
    out.block(`map $status $unframed_${index}`, () => {
      // The question whether a visitor signed in may have had another status first.
      out.line('volatile');
      for (const status of [200, 204, 302, 304, 404]) out.line(`${status} ""`);
      out.line(`205 ${head}`);
      out.line(`"~^[01]" ${head}`);
    });
    // Never by nothing: nginx keeps a hundred bytes for each place that it takes out whole, until the answer ends.
    out.line(`sub_filter $unframed_${index} -`);
  }
  out.line('sub_filter_once off');
  out.line('sub_filter_types *');
  // An upgrade names its protocol (RFC 9110, section 7.8): without it, clients take the answer for a whole one.
  out.block('map $http_upgrade $agreed_upgrade', () => {
    out.line('volatile');
    out.line('default $upstream_http_upgrade');
    out.line('"" ""');
  });
  out.block('map "$server_protocol $status $agreed_upgrade" $unframed_connection', () => {
    out.line('volatile');
    out.line('"~ 101 ." ""');
    out.line(String.raw`"~^HTTP/1\.\d (?:[01]\d\d|205) " close`);
  });
}

/**
 * Bounds what the services of a remote node leave unanswered at once, with however many backends. What has no key, as the
 * gateway's own machine, is not counted. Each worker counts for itself, as for TCP services.
 */
function writeNodeShare(out: ConfigText, { connections }: RenderOptions): void {
  out.line('limit_conn_zone $node_share zone=http_node:4m');
  out.line(`limit_conn http_node ${sharesOf(connections).httpNode}`);
}

/** By its answer a generation is known to be the one that is really served. */
function writeStatusServer(out: ConfigText, { statusSocket, generationMark }: RenderOptions['layout']): void {
  out.block('server', () => {
    out.line(`listen ${quoted(`unix:${statusSocket}`)}`);
    out.line('access_log off');
    out.block('location = /generation', () => {
      out.line('default_type text/plain');
      out.line(`return 200 "${generationMark} $pid\\n"`);
    });
    out.block('location /', () => out.line('return 404'));
  });
}

/** Plain HTTP: proofs for certificate authorities; everything else goes on to HTTPS. */
function writeHttpServer(out: ConfigText, options: RenderOptions): void {
  const { layout, listen, ports } = options;
  // The visitor's own host without its port, if it is one that a browser could have asked for: nothing that a request
  // says can lead anywhere else.
  out.block('map $host $redirect_host', () => {
    out.line('"~^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$" $host');
    out.line('"~^\\[[0-9a-f:.]{2,45}\\]$" $host');
  });
  out.block('server', () => {
    for (const host of listen) out.line(`listen ${listenOn(host, ports.http)} default_server`);
    out.line('access_log off');
    writeErrorPages(out);
    out.block('location ^~ /.well-known/acme-challenge/', () => {
      out.line('default_type text/plain');
      out.line(`root ${quoted(layout.acme)}`);
    });
    out.block('location /', () => {
      out.block('if ($redirect_host = "")', () => out.line('return 404'));
      refuseTlsEndedInFront(out, options);
      out.line(`return 308 ${httpsAddress(options)}`);
    });
  });
}
