import { describe, expect, it } from 'vitest';
import { certbotFault } from './issueFaults.ts';

/** What certbot prints when an authority could not validate a name. */
const refusal = (type: string, detail: string): string => `
Saving debug log to /data/logs/letsencrypt.log
Requesting a certificate for app.example.test

Certbot failed to authenticate some domains (authenticator: webroot). The Certificate Authority reported these problems:
  Domain: app.example.test
  Type:   ${type}
  Detail: ${detail}

Hint: The Certificate Authority failed to download the temporary challenge files created by Certbot.

Some challenges have failed.
Ask for help or search for solutions at https://community.letsencrypt.org. See the logfile /data/logs/letsencrypt.log or re-run Certbot with -v for more details.
`;
const unexpected = (words: string): string =>
  `Saving debug log to /data/logs/letsencrypt.log\nAn unexpected error occurred:\n${words}\nAsk for help or search for solutions at https://community.letsencrypt.org. See the logfile /data/logs/letsencrypt.log or re-run Certbot with -v for more details.\n`;

describe('what the authority says about a name', () => {
  it.each([
    ['dns', 'DNS problem: NXDOMAIN looking up A for app.example.test', 'dns'],
    ['dns', 'no valid A records found for app.example.test; no valid AAAA records found', 'dns'],
    ['connection', 'could not resolve URL "http://app.example.test/"', 'dns'],
    ['connection', '192.0.2.1: Fetching http://app.example.test/: Timeout during connect', 'unreachable'],
    ['unauthorized', '192.0.2.1: Invalid response from http://app.example.test/: 404', 'elsewhere'],
    ['caa', 'CAA record for app.example.test prevents issuance', 'caa'],
    ['rejectedIdentifier', 'policy forbids', 'refused'],
    ['somethingNew', 'never heard of', 'other'],
  ])('%s: %s', (type, detail, kind) => {
    expect(certbotFault(refusal(type, detail))).toEqual({ kind, detail });
  });
});

describe('what keeps certbot from asking', () => {
  it.each([
    ['ValueError: Requesting authority.test/directory: Connection refused', 'authority'],
    ['requests.exceptions.ConnectionError: HTTPSConnectionPool: Max retries exceeded', 'authority'],
    ['SSLError: certificate verify failed: unable to get local issuer certificate', 'untrusted'],
    ['There were too many requests of a given type :: Error creating new order :: too many certificates', 'limit'],
    ['The server will not issue certificates for the identifier :: forbidden by policy', 'refused'],
    ['urn:ietf:params:acme:error:accountDoesNotExist :: unknown account', 'account'],
    ['Unable to validate email address: contact email has invalid domain', 'contact'],
    ['OSError: [Errno 28] No space left on device', 'disk'],
    ["AttributeError: can't set attribute", 'authority'],
    ['a plugin is broken', 'other'],
  ])('%s', (words, kind) => {
    const fault = certbotFault(unexpected(words));
    expect(fault.kind).toBe(kind);
    expect(words).toContain(fault.detail);
    expect(fault.detail).not.toBe('');
  });
});

const POOL = "HTTPSConnectionPool(host='acme-v02.api.letsencrypt.org', port=443)";
const RETRIES = `requests.exceptions.ConnectionError: ${POOL}: Max retries exceeded with url: /directory`;
const OBJECT = '<urllib3.connection.HTTPSConnection object at 0x7f3c5e0d5a90>';

it.each([
  [
    `${RETRIES} (Caused by NewConnectionError('${OBJECT}: Failed to establish a new connection: [Errno -2] Name or service not known'))`,
    'Name or service not known',
  ],
  [
    `${RETRIES} (Caused by NameResolutionError("${OBJECT}: Failed to resolve 'acme-v02.api.letsencrypt.org' ([Errno -3] Temporary failure in name resolution)"))`,
    'Temporary failure in name resolution',
  ],
  [
    `${RETRIES} (Caused by SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: unable to get local issuer certificate (_ssl.c:992)')))`,
    'certificate verify failed: unable to get local issuer certificate',
  ],
  [
    `${RETRIES} (Caused by ConnectTimeoutError(${OBJECT}, 'Connection to acme-v02.api.letsencrypt.org timed out. (connect timeout=45)'))`,
    'Connection to acme-v02.api.letsencrypt.org timed out. (connect timeout=45)',
  ],
  [`requests.exceptions.ReadTimeout: ${POOL}: Read timed out. (read timeout=45)`, 'Read timed out.'],
])('keeps the host and the reason of a connection that failed: %s', (words, reason) => {
  expect(certbotFault(unexpected(words)).detail).toBe(`acme-v02.api.letsencrypt.org: ${reason}`);
});

it('shows nothing of a stranger’s answer that could disturb a terminal, and not all of a long one', () => {
  const { detail } = certbotFault(refusal('unauthorized', `a\u001b[2J\u202eb\u0007 ${'x'.repeat(1000)}`));
  expect(detail).toMatch(/^a \[2J b x{1,300}…$/);
});
