import type { IssueFault, IssueFaultKind } from './certificateIssuer.ts';

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
  return { kind, detail: oneLine(detail) };
}

/** What may be shown: one line without control, invisible or direction-changing characters. */
function oneLine(text: string): string {
  const line = text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/^(?:[\w.]*(?:Error|Exception): )+/, '')
    .trim();
  return line.length > DETAIL_MAX_CHARS ? `${line.slice(0, DETAIL_MAX_CHARS)}…` : line;
}
