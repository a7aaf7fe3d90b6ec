import { SET_CLOCK } from '../rules/wrongClock.ts';
import type { IssuedPair, IssueFault, IssueFaultKind } from './certificateIssuer.ts';

/** What a sentence about a certificate needs to know. */
export type CertificateFacts = {
  domain: string;
  /** The directory address of the authority. */
  authority: string;
  /** The port on which nginx serves plain HTTP. */
  httpPort: number;
  /** The pair that is served meanwhile; null: a self-signed one. */
  pair: Pick<IssuedPair, 'notAfter'> | null;
  /** Why certificates cannot be asked for on this machine; null: they can. */
  unavailable: string | null;
};

/** Where an authority asks for the proof (RFC 8555, section 8.3). */
const PROOF_PORT = 80;

/** While the authority is being asked. */
export const certificateAwaited = ({ authority }: Pick<CertificateFacts, 'authority'>): string =>
  `Its certificate is being obtained from ${authorityName(authority)}; until it is there visitors get a self-signed one.`;

/** Why there is no certificate, or no new one, and what to do, which a narrow table still shows; then what visitors get meanwhile. */
export function certificateProblem(fault: IssueFault, facts: CertificateFacts): string {
  const { pair } = facts;
  const state =
    pair === null
      ? 'The domain has no certificate of its own yet, so visitors get a self-signed one'
      : `The domain's certificate ends on ${pair.notAfter.toISOString().slice(0, 10)} and could not be renewed`;
  return `${reasonOf(fault, facts)} ${state}. It is tried again by itself, and at once when the domain is saved.`;
}

function reasonOf({ kind, detail }: IssueFault, facts: CertificateFacts): string {
  const { domain, httpPort, unavailable } = facts;
  const name = authorityName(facts.authority);
  const words = detail === '' ? '' : ` (${detail.replace(/\.$/, '')})`;
  const forward = httpPort === PROOF_PORT ? '' : `, forwarded to port ${httpPort} of this machine`;
  const reasons: Record<IssueFaultKind, string> = {
    missing: unavailable ?? 'certbot was not installed when it was asked for.',
    dns: `${name} finds no address for ${domain}${words}. Have its DNS record lead to this gateway.`,
    unreachable: `${name} could not reach http://${domain}/${words}. Open port ${PROOF_PORT} in the firewall${forward}.`,
    elsewhere: `${name} found another server at http://${domain}/${words}. Have every DNS record of the name lead to this gateway, port ${PROOF_PORT}${forward}.`,
    caa: `The CAA record of ${domain} does not allow ${name} to issue certificates${words}. Allow it in the DNS.`,
    refused: `${name} issues no certificate for ${domain}${words}. Choose a self-signed one.`,
    limit: `${name} issues no more certificates for now${words}. Wait, or choose a self-signed one.`,
    authority: `${name} does not answer${words}. Check this machine's way to it, and SALLYPORT_ACME_URL if it is set.`,
    untrusted: `${name} is not trusted${words}. Start the gateway with REQUESTS_CA_BUNDLE naming the file of its root certificate.`,
    account: `${name} does not know this gateway's account any more${words}; the next attempt makes another.`,
    contact: `${name} does not take the contact address${words}. Correct SALLYPORT_ACME_EMAIL.`,
    disk: `The disk of the data directory is full${words}. Free some space on it.`,
    clock: `The clock of this machine is wrong. Set it: ${SET_CLOCK}.`,
    time: `${name} did not answer in time.`,
    other: `${name} could not be asked${words}. secrets/issued/certbot/logs in the data directory says more.`,
  };
  return reasons[kind];
}

/** As the console calls it, or by its host. */
export function authorityName(directory: string): string {
  const host = URL.canParse(directory) ? new URL(directory).host : directory;
  if (host === 'acme-v02.api.letsencrypt.org') return "Let's Encrypt";
  return host === 'acme-staging-v02.api.letsencrypt.org' ? "Let's Encrypt (staging)" : host;
}

const DETAIL_MAX_CHARS = 300;

/** What an authority says about a name that it tried to validate (RFC 8555, section 6.7), as certbot shows it. */
const TYPES: Record<string, IssueFaultKind> = {
  dns: 'dns',
  connection: 'unreachable',
  tls: 'unreachable',
  unauthorized: 'elsewhere',
  incorrectResponse: 'elsewhere',
  caa: 'caa',
  rejectedIdentifier: 'refused',
  unsupportedIdentifier: 'refused',
  rateLimited: 'limit',
};

/** What certbot says in its own words; the first that matches counts. */
const SENTENCES: [pattern: RegExp, kind: IssueFaultKind][] = [
  [/too many (?:requests|certificates|new orders|failed|currently pending)|rateLimited|rate limit/i, 'limit'],
  [/rejectedIdentifier|will not issue certificates? for the identifier|forbidden by policy/i, 'refused'],
  [/urn:ietf:params:acme:error:caa|CAA record/i, 'caa'],
  [/accountDoesNotExist|account .*(?:does not exist|not found|is not valid|deactivated)/i, 'account'],
  [/invalidContact|unable to (?:parse|validate) (?:the )?e-?mail|contact e-?mail|invalid email/i, 'contact'],
  [/No space left on device|Disk quota exceeded/i, 'disk'],
  [/certificate verify failed|CERTIFICATE_VERIFY_FAILED/i, 'untrusted'],
  // What certbot 2.1 makes of a rejected nonce with a newer Python.
  [/can't set attribute/, 'authority'],
  [
    /ConnectionError|Connection (?:refused|reset|aborted)|Max retries exceeded|Name or service not known|Temporary failure in name resolution|Network is unreachable|No route to host|timed? ?out|serverInternal|service.*(?:unavailable|down for maintenance)/i,
    'authority',
  ],
];

/** Not every authority has a type of its own for it. */
const UNKNOWN_NAME = /could not resolve|NXDOMAIN|SERVFAIL|DNS problem|no valid AA?A?A? records/i;

/** Lines that certbot adds to whatever went wrong. */
const NOISE =
  /^(?:Saving debug log|Account registered|Requesting a certificate|An unexpected error occurred:?$|Ask for help|See the logfile|Some challenges have failed|Exiting due to|- - -)/;

/** What went wrong, by what certbot printed. Its text comes from an authority and from strangers' web servers. */
export function certbotFault(output: string): IssueFault {
  const type = /^\s*Type:\s*([A-Za-z]+)/m.exec(output)?.[1];
  const said = /^\s*Detail:\s*(.*(?:\n(?!\s*(?:Domain:|Hint:|$)).*)*)/m.exec(output)?.[1];
  if (type !== undefined) {
    const detail = oneLine(said ?? '');
    return { kind: UNKNOWN_NAME.test(detail) ? 'dns' : (TYPES[type] ?? 'other'), detail };
  }
  const lines = output.split('\n').filter((line) => line.trim() !== '' && !NOISE.test(line.trim()));
  const kind = SENTENCES.find(([pattern]) => pattern.test(output))?.[1] ?? 'other';
  // "See the logfile" may follow in the same line.
  const detail = lines.join(' ').replace(/\s*Ask for help or search .*$/, '');
  return { kind, detail: oneLine(withoutObjects(detail)) };
}

/** What Python's HTTP client says of a host that it does not reach: the host and the reason. certbot's own log has the rest. */
function withoutObjects(text: string): string {
  const host = /HTTPS?ConnectionPool\(host='([^']+)'/.exec(text)?.[1];
  if (host === undefined) return text;
  const reason =
    /\[(?:Errno -?\d+|SSL: \w+)\] ([^'"()]+)/.exec(text) ??
    /, ["']([^'"]+)["']\)/.exec(text) ??
    /\): ([^(]+)/.exec(text);
  return `${host}: ${reason?.[1]?.trim() ?? 'no connection'}`;
}

/** What may be shown: one line without control, invisible or direction-changing characters. */
function oneLine(text: string): string {
  const line = text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/^(?:[\w.]*(?:Error|Exception): )+/, '')
    .trim();
  return line.length > DETAIL_MAX_CHARS ? `${line.slice(0, DETAIL_MAX_CHARS)}…` : line;
}
