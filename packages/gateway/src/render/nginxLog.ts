import type { ConfigText } from './configText.ts';
import { quoted } from './nginxText.ts';

// A parameter whose name holds one of these, or is written with escapes so that it could, hides the whole query.
const SECRET_NAMES =
  'token|secret|passw|pwd|passphrase|sig|code|key|auth|session|sid|jwt|jws|credential|ticket|otp|nonce|state|saml|%';

/**
 * The one access log, a JSON object a line. `t` seconds since 1970, `d` and `s` the numbers of domain and service (empty
 * when there is none), `k` the kind of service, `c` the visitor, `r` the request line without secrets, `st` the status,
 * `b` bytes sent, `ms` seconds that it took, `u` the backend.
 */
export function writeLog(out: ConfigText, accessLog: string): void {
  out.block('map $request_uri $logged_path', () => {
    // Parameters may stand in the path, too: ;jsessionid=.
    out.line(`"~*^(?<safe_path>[^?;]{0,2000});[^?]*(?:${SECRET_NAMES})" "$safe_path;[redacted]"`);
    out.line('"~^(?<path_text>[^?]{0,2000})" $path_text');
  });
  out.block('map $args $logged_args', () => {
    out.line('"" ""');
    out.line(`"~*(?:^|[&;?])[^=&;?]*(?:${SECRET_NAMES})" "?[redacted]"`);
    // A token on its own, without a name.
    out.line('"~^[^=]{20,}$" "?[redacted]"');
    out.line('"~eyJ[A-Za-z0-9_-]+\\." "?[redacted]"');
    out.line('"~^(?<args_text>.{0,2000})" "?$args_text"');
  });
  const fields = {
    t: '$msec',
    d: '$domain_id',
    s: '$service_id',
    k: 'http',
    c: '$remote_addr',
    r: '$request_method $logged_path$logged_args $server_protocol',
    st: '$status',
    b: '$bytes_sent',
    ms: '$request_time',
    u: '$upstream_addr',
  };
  out.line(`log_format access escape=json '${JSON.stringify(fields)}'`);
  // Requests that belong to no domain and no service are noise of the internet; nobody could read them.
  out.line(`access_log ${quoted(accessLog)} access buffer=32k flush=200ms if=$domain_id$service_id`);
  // A request that is refused before the server was chosen has no ids.
  out.line('uninitialized_variable_warn off');
}
