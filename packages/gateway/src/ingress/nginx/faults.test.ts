import { describe, expect, it } from 'vitest';
import { type Fault, isStillTrying, parseNginxFaults } from './faults.ts';

const ROOTS = ['/data/ingress/generations/12', '/data/ingress/current'];
const inUse = 'bind() to 0.0.0.0:8080 failed (98: Address already in use)';

const table: { name: string; text: string; faults: Fault[] }[] = [
  {
    name: 'an unknown directive, from -t',
    text: 'nginx: [emerg] unknown directive "foo" in /data/ingress/generations/12/nginx.conf:3\nnginx: configuration file /data/ingress/generations/12/nginx.conf test failed\n',
    faults: [{ message: 'unknown directive "foo"', file: 'nginx.conf', line: 3 }],
  },
  {
    name: 'a file below, seen through the current link, in the error log',
    text: '2026/11/21 07:30:00 [emerg] 61#61: invalid port in "127.0.0.1:x" of the "listen" directive in /data/ingress/current/shared/7.conf:12\n',
    faults: [{ message: 'invalid port in "127.0.0.1:x" of the "listen" directive', file: 'shared/7.conf', line: 12 }],
  },
  {
    name: 'a port that is taken, tried five times',
    text: `${Array.from({ length: 5 }, () => `2026/11/21 07:30:00 [emerg] 61#61: ${inUse}`).join('\n')}\n2026/11/21 07:30:02 [emerg] 61#61: still could not bind()\n`,
    faults: [{ message: inUse, address: '0.0.0.0:8080' }],
  },
  {
    name: 'addresses of the other families',
    text: 'nginx: [emerg] bind() to [::1]:443 failed (13: Permission denied)\nnginx: [emerg] bind() to unix:/data/a b/s.sock failed (98: Address already in use)\nnginx: [emerg] socket() [::]:80 failed (97: Address family not supported by protocol)\nnginx: [emerg] listen() to 127.0.0.1:81, backlog 511 failed (98: Address already in use)',
    faults: [
      { message: 'bind() to [::1]:443 failed (13: Permission denied)', address: '[::1]:443' },
      {
        message: 'bind() to unix:/data/a b/s.sock failed (98: Address already in use)',
        address: 'unix:/data/a b/s.sock',
      },
      { message: 'socket() [::]:80 failed (97: Address family not supported by protocol)', address: '[::]:80' },
      {
        message: 'listen() to 127.0.0.1:81, backlog 511 failed (98: Address already in use)',
        address: '127.0.0.1:81',
      },
    ],
  },
  {
    name: 'a certificate that cannot be loaded',
    text: 'nginx: [emerg] cannot load certificate "/data/secrets/certificates/a.test/pair.pem": PEM_read_bio_X509_AUX() failed (SSL: error:0480006C:PEM routines::no start line:Expecting: TRUSTED CERTIFICATE)',
    faults: [
      {
        message:
          'cannot load certificate "/data/secrets/certificates/a.test/pair.pem": PEM_read_bio_X509_AUX() failed (SSL: error:0480006C:PEM routines::no start line:Expecting: TRUSTED CERTIFICATE)',
        path: '/data/secrets/certificates/a.test/pair.pem',
      },
    ],
  },
  {
    name: 'a key that does not fit its certificate',
    text: 'nginx: [emerg] SSL_CTX_use_PrivateKey("/data/k.pem") failed (SSL: error:05800074:x509 certificate routines::key values mismatch)',
    faults: [
      {
        message:
          'SSL_CTX_use_PrivateKey("/data/k.pem") failed (SSL: error:05800074:x509 certificate routines::key values mismatch)',
        path: '/data/k.pem',
      },
    ],
  },
  {
    name: 'a missing include: place and path',
    text: 'nginx: [emerg] open() "/data/ingress/generations/12/x.conf" failed (2: No such file or directory) in /data/ingress/generations/12/nginx.conf:5',
    faults: [
      {
        message: 'open() "/data/ingress/generations/12/x.conf" failed (2: No such file or directory)',
        file: 'nginx.conf',
        line: 5,
        path: '/data/ingress/generations/12/x.conf',
      },
    ],
  },
  {
    name: 'text from outside that imitates a place: the last one counts',
    text: 'nginx: [emerg] unknown directive "x in /etc/passwd:1" in /data/ingress/generations/12/nginx.conf:9',
    faults: [{ message: 'unknown directive "x in /etc/passwd:1"', file: 'nginx.conf', line: 9 }],
  },
  {
    name: 'a file outside the generation keeps its whole name',
    text: 'nginx: [emerg] unexpected "}" in /etc/other.conf:2',
    faults: [{ message: 'unexpected "}"', file: '/etc/other.conf', line: 2 }],
  },
  {
    name: 'a full disk is nobody’s fault',
    text: 'nginx: [emerg] mkdir() "/data/ingress/tmp/body" failed (28: No space left on device)',
    faults: [
      {
        message: 'mkdir() "/data/ingress/tmp/body" failed (28: No space left on device)',
        path: '/data/ingress/tmp/body',
        environment: true,
      },
    ],
  },
  {
    name: 'warnings, notices and what visitors cause are no faults',
    text: '2026/11/21 07:30:00 [warn] 61#61: conflicting server name "a" on 0.0.0.0:80, ignored\n2026/11/21 07:30:00 [notice] 61#61: signal 1 (SIGHUP) received, reconfiguring\n2026/11/21 07:30:00 [crit] 62#62: *5 SSL_do_handshake() failed, client: 203.0.113.7\n',
    faults: [],
  },
  {
    name: 'what a visitor asked for, quoted in a line of another level',
    text: '2026/11/21 07:30:00 [error] 62#62: *5 open() failed, request: "GET /[emerg] 1#1: bind() to 0.0.0.0:80 failed (98: x)"\n',
    faults: [],
  },
  {
    name: 'a socket that is given up without a name',
    text: '2026/11/21 07:30:00 [emerg] 61#61: unlink() "/data/ingress/run/status.sock" failed (2: No such file or directory)\n',
    faults: [],
  },
];

describe('parseNginxFaults', () => {
  it.each(table)('$name', ({ text, faults }) => {
    expect(parseNginxFaults(text, ROOTS)).toEqual(faults);
  });
});

describe('isStillTrying', () => {
  const trying = `2026/11/21 07:30:00 [emerg] 61#61: ${inUse}\n`;
  const ask = (text: string): boolean => isStillTrying(text, parseNginxFaults(text, ROOTS));

  it('is true until the last attempt at an address in use', () => {
    expect(ask(trying)).toBe(true);
    expect(ask(`${trying}2026/11/21 07:30:02 [emerg] 61#61: still could not bind()\n`)).toBe(false);
  });

  it('is false when nginx gave up for another reason', () => {
    expect(ask('[emerg] 61#61: bind() to 0.0.0.0:80 failed (13: Permission denied)')).toBe(false);
    expect(ask(`${trying}[emerg] 61#61: open() "/x" failed (2: No such file or directory)`)).toBe(false);
  });
});
