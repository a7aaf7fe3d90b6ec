import type { Directive } from './caddyfile.ts';
import { placeText, type Token } from './caddyfileTokens.ts';
import { targetFault } from './importPlan.ts';

export type CaddyBackend = {
  scheme: 'http' | 'https';
  host: string;
  port: number;
  /** What is otherwise than there. */
  notes: string[];
  /** What may protect it there, and is not to be had here; null: nothing. */
  closed: string | null;
};

/** What changes nothing that a backend or a visitor would miss. */
const HARMLESS = new Set(
  'flush_interval buffer_requests buffer_responses request_buffers response_buffers stream_timeout stream_close_delay max_buffer_size lb_policy lb_retries lb_try_duration lb_try_interval lb_retry_match health_uri health_path health_port health_upstream health_interval health_passes health_fails health_timeout health_status health_method health_body health_headers health_follow_redirects health_request_body fail_duration max_fails unhealthy_status unhealthy_latency unhealthy_request_count trusted_proxies verbose_logs header_down'.split(
    ' ',
  ),
);
const HARMLESS_TRANSPORT = new Set(
  'read_buffer write_buffer max_response_header network_proxy dial_timeout dial_fallback_delay response_header_timeout expect_continue_timeout resolvers tls_timeout keepalive keepalive_interval keepalive_idle_conns keepalive_idle_conns_per_host versions compression max_conns_per_host read_timeout write_timeout tls_insecure_skip_verify tls_server_name tls_trusted_ca_certs tls_trust_pool tls_renegotiation tls_except_ports tls_curves'.split(
    ' ',
  ),
);
/** Backends are told these here as well. */
const TOLD = /^[+?]?(?:x-real-ip|x-forwarded-(?:for|proto|host|port)|connection|upgrade)$/i;

/** What becomes of a `reverse_proxy`: its backend, or why there is none. */
export function readBackend({ block }: Directive, upstreams: readonly Token[]): CaddyBackend | { why: string } {
  const all = upstreams.map(({ text }) => text);
  const notes: string[] = [];
  let closed: string | null = null;
  let hasTls = false;
  for (const line of block ?? []) {
    const [name = '', ...values] = line.words.map(({ text }) => text);
    const at = placeText(line.at);
    if (name === 'to') all.push(...values);
    else if (name === 'transport') {
      const found = readTransport(line);
      if (found === null) return { why: `${at}: it is spoken to in a way that is not to be had here` };
      hasTls ||= found.hasTls;
    } else if (['rewrite', 'method'].includes(name)) return { why: `${at}: requests are changed on the way to it` };
    else if (name === 'dynamic') return { why: `${at}: its backends are looked up` };
    else if (name === 'header_up') {
      const [header = ''] = values;
      if (/^host$/i.test(header)) notes.push(`${at}: its backend was told another host name`);
      else if (!TOLD.test(header))
        closed ??= `${at}: its backend may rely on the header ${header}, which this gateway does not set`;
    } else if (!HARMLESS.has(name)) closed ??= `${at}: ${name} is not to be had here, and may protect it`;
  }
  const [upstream] = all;
  if (upstream === undefined) return { why: 'it has no backend' };
  if (all.length > 1) return { why: `it has several backends, and a service has one: ${all.join(', ')}` };
  const found = readUpstream(upstream);
  if (found === null) return { why: `${upstream} is no backend that can be reached from here` };
  const fault = targetFault(found);
  if (fault !== null) return { why: `${upstream}: ${fault}` };
  const scheme = hasTls ? 'https' : found.scheme;
  if (scheme === 'https') notes.push('the certificate of its backend is not checked here');
  return { ...found, scheme, notes, closed };
}

function readTransport({ words, block }: Directive): { hasTls: boolean } | null {
  const names = (block ?? []).map(({ words: [name] }) => name?.text ?? '');
  if (words[1]?.text !== 'http') return null;
  if (!names.every((name) => name === 'tls' || HARMLESS_TRANSPORT.has(name))) return null;
  return { hasTls: names.some((name) => /^tls(?:_insecure_skip_verify|_server_name)?$/.test(name)) };
}

/** `host:port`, `:port`, `host`, or one of these after `http://` or `https://`. */
function readUpstream(text: string): Pick<CaddyBackend, 'scheme' | 'host' | 'port'> | null {
  const found = /^(?:(https?):\/\/)?(\[[\da-f:.]{2,45}\]|[\w.-]{0,253})(?::(\d{1,5}))?$/i.exec(text);
  if (found === null) return null;
  const [, written = 'http', name = '', port] = found;
  const scheme = written.toLowerCase() === 'https' ? 'https' : 'http';
  const host = name === '' ? 'localhost' : name.replaceAll(/[[\]]/g, '');
  if (name === '' && port === undefined) return null;
  return { scheme, host, port: port === undefined ? (scheme === 'https' ? 443 : 80) : Number(port) };
}
