import { expect, it } from 'vitest';
import { listenAddresses } from './listenAddresses.ts';

it('finds each address once, in nginx’s spelling', () => {
  const text = `
    server { # a server
      listen 8080;
      listen *:8080 default_server;
      listen [::]:443 ssl http2 ipv6only=on;
      listen 127.0.0.1:9443 ssl;
      listen unix:/data/run/status.sock;
    }
    server {
      listen 0.0.0.0:5353 udp reuseport;
      listen 5353;
    }`;
  expect([...listenAddresses([text]).keys()]).toEqual([
    '0.0.0.0:8080',
    '[::]:443',
    '127.0.0.1:9443',
    'unix:/data/run/status.sock',
    '0.0.0.0:5353/udp',
    '0.0.0.0:5353',
  ]);
});

it('reads a path in quotes', () => {
  const text = String.raw`listen "unix:/data/a b/\"run\"/status.sock";`;
  expect([...listenAddresses([text]).keys()]).toEqual(['unix:/data/a b/"run"/status.sock']);
});

it('leaves out comments, names and ranges', () => {
  const text = '# listen 80;\n  #listen 81;\n listen localhost:82;\n listen 100-200;\n listen 0;\n listening 3;';
  expect(listenAddresses([text]).size).toBe(0);
});
