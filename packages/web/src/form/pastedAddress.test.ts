import { expect, it } from 'vitest';
import { portOf, splitAddress } from './pastedAddress.ts';

it.each([
  ['https://app.example.com/x', ['https', 'app.example.com', null, '/x']],
  ['http://10.0.0.5:8000', ['http', '10.0.0.5', 8000, '/']],
  ['  HTTPS://App.Example.com/  \n', ['https', 'app.example.com', null, '/']],
  ['https://app.example.com:80', ['https', 'app.example.com', 80, '/']],
  ['http://app.example.com:443/a/b/', ['http', 'app.example.com', 443, '/a/b/']],
  ['http://[2001:db8::1]:8080/x', ['http', '2001:db8::1', 8080, '/x']],
  ['[::1]:8080', [null, '::1', 8080, '/']],
  ['tcp://mqtt.example.com:1883', ['tcp', 'mqtt.example.com', 1883, '/']],
  ['udp://[::1]:53', ['udp', '::1', 53, '/']],
  ['nas.lan:5000', [null, 'nas.lan', 5000, '/']],
  ['app.example.com/x', [null, 'app.example.com', null, '/x']],
  ['https://bücher.example/ü', ['https', 'xn--bcher-kva.example', null, '/%C3%BC']],
  ['http://0x7f.1:81', ['http', '127.0.0.1', 81, '/']],
  ['https://app.example.com./', ['https', 'app.example.com', null, '/']],
  ['https://a.example/b/../../etc/passwd', ['https', 'a.example', null, '/etc/passwd']],
] as const)('%s', (text, parts) => {
  const split = splitAddress(text);
  expect(split && [split.scheme, split.host, split.port, split.path]).toEqual(parts);
  expect(split?.leftOut).toEqual([]);
});

it.each([
  'app.example.com',
  '10.0.0.5',
  'nas',
  'fe80::1',
  '2001:db8::/32',
  '10.0.0.0/8',
  'a/b',
  '/a/b',
  'ada@example.com',
  'ada:secret@example.com:80',
  'https://',
  'https:///x',
  'file:///etc/passwd',
  'http://app.example.com:65536',
  'http://app.example.com:-1',
  'http://app.example.com:80x',
  'http://[2001:db8::1',
  'http://2001:db8::1:80',
  'http://a b/',
  'http://a\u0000b/',
  'http://%/',
  'javascript:alert(1)',
  'mailto:ada@example.com',
  `http://${'a'.repeat(3000)}`,
  '',
])('%j stays as it is', (text) => {
  expect(splitAddress(text)).toBeNull();
});

it('tells of a password without showing it again, and of what else no field is for', () => {
  const split = splitAddress('https://ada:s3cret@app.example.com:8443/x?token=s3cret#s3cret');
  expect(split).toEqual({
    scheme: 'https',
    host: 'app.example.com',
    port: 8443,
    path: '/x',
    leftOut: ['the user name and the password', 'what follows the ?', 'what follows the #'],
    shown: 'https://app.example.com:8443/x',
  });
  expect(JSON.stringify(split)).not.toContain('s3cret');
  expect(splitAddress('http://good.example@evil.example/')?.host).toBe('evil.example');
});

it('knows the ports of the web', () => {
  const port = (text: string) => {
    const parts = splitAddress(text);
    return parts && portOf(parts);
  };
  expect(['http://a.example', 'https://a.example', 'tcp://a.example', 'http://a.example:8080'].map(port)).toEqual([
    80,
    443,
    null,
    8080,
  ]);
});
