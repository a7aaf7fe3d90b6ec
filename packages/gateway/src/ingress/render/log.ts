import { type ConfigText, quoted } from './configText.ts';

// A parameter whose name holds one of these, or is written with escapes so that it could, hides the whole query.
const SECRET_NAMES =
  'token|secret|passw|pwd|passphrase|sig|code|key|auth|session|sid|jwt|jws|credential|ticket|otp|nonce|state|saml|%';

/**
 * Of a path and of a query, so many characters are kept. Over HTTP/2 a visitor repeats what was sent before with a few
 * bytes, however long it was, and each line would be as long.
 */
const MOST_TEXT = 500;

const BUFFER = 'buffer=32k flush=200ms';

/** The fields of a line. `k` is a kind of service; the others are variables of nginx. */
type Fields = Record<'t' | 'd' | 's' | 'k' | 'c' | 'r' | 'st' | 'b' | 'ms' | 'u' | 'h' | 'i' | 'w' | 'a', string>;

const writeFormat = (out: ConfigText, fields: Fields): void =>
  out.line(`log_format access escape=json '${JSON.stringify(fields)}'`);

const writeLogTo = (out: ConfigText, path: string, condition = ''): void =>
  out.line(`access_log ${quoted(path)} access ${BUFFER}${condition}`);

/**
 * The one access log, a JSON object a line. `t` seconds since 1970, `d` and `s` the numbers of domain and service (empty
 * when there is none), `k` the kind of service, `c` the visitor, `r` the request line without secrets, `st` the status,
 * `b` bytes sent, `ms` seconds that it took, `u` the backend, `h` the host name that was asked for, in lower case, `i` bytes
 * received, `w` seconds that the backend took, `a` the visitor's program. The first ten are in this order for `logs`.
 */
export function writeLog(out: ConfigText, accessLog: string): void {
  out.block('map $request_uri $logged_uri', () => {
    out.line(`"~[?;]|^.{${MOST_TEXT + 1}}" $logged_path$logged_args`);
    // Most of them: nothing but a path.
    out.line('default $request_uri');
  });
  out.block('map $request_uri $logged_path', () => {
    out.line(`"~^(?<path_before>[^?;]{0,${MOST_TEXT}})[?]" $path_before`);
    // Parameters may stand in the path, too: ;jsessionid=.
    out.line(`"~*^(?<safe_path>[^?;]{0,${MOST_TEXT}});[^?]*(?:${SECRET_NAMES})" "$safe_path;[redacted]"`);
    out.line(`"~^(?<path_text>[^?]{0,${MOST_TEXT}})" $path_text`);
  });
  out.block('map $args $logged_args', () => {
    out.line('"" ""');
    out.line(`"~*(?:^|[&;?])[^=&;?]*(?:${SECRET_NAMES})" "?[redacted]"`);
    // A token on its own, without a name.
    out.line('"~^[^=]{20,}$" "?[redacted]"');
    out.line('"~eyJ[A-Za-z0-9_-]+\\." "?[redacted]"');
    out.line(`"~^(?<args_text>.{0,${MOST_TEXT}})" "?$args_text"`);
  });
  out.block('map $http_user_agent $logged_agent', () => {
    out.line('"~^(?<agent_text>[ -~]{0,200})" $agent_text');
  });
  out.block('map $request_method $logged_method', () => {
    out.line('"~^(?<method_text>.{0,32})" $method_text');
  });
  out.block('map $upstream_addr $logged_backend', () => {
    // The gateway itself, which asks visitors to sign in: where its files are is nobody's business.
    out.line('"~^unix:" ""');
    out.line('default $upstream_addr');
  });
  out.block('map $host $logged_host', () => {
    // No name is longer; any text before `.localhost` is one of the gateway's own.
    out.line('"~^(?<host_text>.{0,253})" $host_text');
  });
  const fields: Fields = {
    t: '$msec',
    d: '$domain_id',
    s: '$service_id',
    k: 'http',
    c: '$remote_addr',
    r: '$logged_method $logged_uri $server_protocol',
    st: '$status',
    b: '$bytes_sent',
    ms: '$request_time',
    u: '$logged_backend',
    h: '$logged_host',
    i: '$request_length',
    w: '$upstream_response_time',
    a: '$logged_agent',
  };
  writeFormat(out, fields);
  writeLogTo(out, accessLog);
  // A request that is refused before the server was chosen has no ids.
  out.line('uninitialized_variable_warn off');
}

/** Requests that belong to no domain and no service are noise of the internet; no one could read them. */
export function writeLogOfServices(out: ConfigText, accessLog: string): void {
  writeLogTo(out, accessLog, ' if=$service_id');
}

/**
 * The same log for TCP and UDP: a line when a connection ends, or a client of UDP has been silent for long enough. `r`
 * is the protocol and the public port, `ms` how long the connection lived.
 */
export function writeStreamLog(out: ConfigText, accessLog: string): void {
  // Anyone who comes without TLS where it is needed made a mistake; nothing is wrong with the gateway.
  out.block('map $status:$upstream_addr $logged_status', () => {
    out.line('default $status');
    out.line('"500:" 400');
  });
  writeFormat(out, {
    t: '$msec',
    d: '$domain_id',
    s: '$service_id',
    k: 'tcp',
    c: '$remote_addr',
    r: '$protocol $server_port',
    st: '$logged_status',
    b: '$bytes_sent',
    ms: '$session_time',
    u: '$upstream_addr',
    h: '',
    i: '$bytes_received',
    w: '$upstream_session_time',
    a: '',
  });
  // Another spelling of the same file: under one name nginx would have its modules share one buffer, which is meant for
  // a single one. Each appends whole lines.
  writeLogTo(out, accessLog.replace(/\/([^/]*)$/, '/./$1'));
}
