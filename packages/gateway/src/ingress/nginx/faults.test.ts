import { describe, expect, it } from 'vitest';
import { type Fault, isStillTrying, parseNginxFaults } from './faults.ts';

const ROOTS = ['/data/ingress/generations/12', '/data/ingress/current'];
const inUse = 'bind() to 0.0.0.0:8080 failed (98: Address already in use)';

const logged = (level: string, words: string): string => `2026/11/21 07:30:00 [${level}] 61#61: ${words}\n`;
const loadFailed =
  'cannot load certificate "/data/secrets/certificates/a.test/pair.pem": PEM_read_bio_X509_AUX() failed (SSL: error:0480006C:PEM routines::no start line:Expecting: TRUSTED CERTIFICATE)';
const mismatch =
  'SSL_CTX_use_PrivateKey("/data/k.pem") failed (SSL: error:05800074:x509 certificate routines::key values mismatch)';
const noInclude = 'open() "/data/ingress/generations/12/x.conf" failed (2: No such file or directory)';
const fullDisk = 'mkdir() "/data/ingress/tmp/body" failed (28: No space left on device)';
const [denied, noFamily] = ['failed (13: Permission denied)', 'failed (97: Address family not supported by protocol)'];
const taken = 'failed (98: Address already in use)';

const table: [name: string, text: string, faults: Fault[]][] = [
  [
    'an unknown directive, from -t',
    'nginx: [emerg] unknown directive "foo" in /data/ingress/generations/12/nginx.conf:3\nnginx: configuration file /data/ingress/generations/12/nginx.conf test failed\n',
    [{ message: 'unknown directive "foo"', file: 'nginx.conf', line: 3 }],
  ],
  [
    'a file below, seen through the current link, in the error log',
    logged(
      'emerg',
      'invalid port in "127.0.0.1:x" of the "listen" directive in /data/ingress/current/shared/7.conf:12',
    ),
    [{ message: 'invalid port in "127.0.0.1:x" of the "listen" directive', file: 'shared/7.conf', line: 12 }],
  ],
  [
    'a port that is taken, tried five times',
    logged('emerg', inUse).repeat(5) + logged('emerg', 'still could not bind()'),
    [{ message: inUse, address: '0.0.0.0:8080' }],
  ],
  ...(
    [
      [`bind() to [::1]:443 ${denied}`, '[::1]:443'],
      [`bind() to unix:/data/a b/s.sock ${taken}`, 'unix:/data/a b/s.sock'],
      [`socket() [::]:80 ${noFamily}`, '[::]:80'],
      [`listen() to 127.0.0.1:81, backlog 511 ${taken}`, '127.0.0.1:81'],
    ] as const
  ).map(([message, address]): (typeof table)[number] => [
    `an address of another family: ${address}`,
    `nginx: [emerg] ${message}`,
    [{ message, address }],
  ]),
  [
    'a certificate that cannot be loaded',
    `nginx: [emerg] ${loadFailed}`,
    [{ message: loadFailed, path: '/data/secrets/certificates/a.test/pair.pem' }],
  ],
  [
    'a key that does not fit its certificate',
    `nginx: [emerg] ${mismatch}`,
    [{ message: mismatch, path: '/data/k.pem' }],
  ],
  [
    'a missing include: place and path',
    `nginx: [emerg] ${noInclude} in /data/ingress/generations/12/nginx.conf:5`,
    [{ message: noInclude, file: 'nginx.conf', line: 5, path: '/data/ingress/generations/12/x.conf' }],
  ],
  [
    'text from outside that imitates a place: the last one counts',
    'nginx: [emerg] unknown directive "x in /etc/passwd:1" in /data/ingress/generations/12/nginx.conf:9',
    [{ message: 'unknown directive "x in /etc/passwd:1"', file: 'nginx.conf', line: 9 }],
  ],
  [
    'a file outside the generation keeps its whole name',
    'nginx: [emerg] unexpected "}" in /etc/other.conf:2',
    [{ message: 'unexpected "}"', file: '/etc/other.conf', line: 2 }],
  ],
  [
    'a full disk is the machine’s fault',
    `nginx: [emerg] ${fullDisk}`,
    [{ message: fullDisk, path: '/data/ingress/tmp/body', environment: true }],
  ],
  [
    'warnings, notices and what visitors cause are no faults',
    logged('warn', 'conflicting server name "a" on 0.0.0.0:80, ignored') +
      logged('notice', 'signal 1 (SIGHUP) received, reconfiguring') +
      logged('crit', '*5 SSL_do_handshake() failed, client: 203.0.113.7'),
    [],
  ],
  [
    'what a visitor asked for, quoted in a line of another level',
    logged('error', '*5 open() failed, request: "GET /[emerg] 1#1: bind() to 0.0.0.0:80 failed (98: x)"'),
    [],
  ],
  [
    'a socket that is given up without a name',
    logged('emerg', 'unlink() "/data/ingress/run/status.sock" failed (2: No such file or directory)'),
    [],
  ],
];

describe('parseNginxFaults', () => {
  it.each(table)('%s', (_, text, faults) => {
    expect(parseNginxFaults(text, ROOTS)).toEqual(faults);
  });
});

describe('isStillTrying', () => {
  const trying = logged('emerg', inUse);
  const ask = (text: string): boolean => isStillTrying(text, parseNginxFaults(text, ROOTS));

  it('is true until the last attempt at an address in use', () => {
    expect(ask(trying)).toBe(true);
    expect(ask(trying + logged('emerg', 'still could not bind()'))).toBe(false);
  });

  it('is false when nginx gave up for another reason', () => {
    expect(ask('[emerg] 61#61: bind() to 0.0.0.0:80 failed (13: Permission denied)')).toBe(false);
    expect(ask(`${trying}[emerg] 61#61: open() "/x" failed (2: No such file or directory)`)).toBe(false);
  });
});
