import { describe, expect, it } from 'vitest';
import { Failure } from './failure.ts';
import { gatewayUrl } from './context.ts';
import { refuseExposed } from './host/credentials.ts';

describe('the address of a gateway', () => {
  it.each([
    ['https://gateway.example:9443', 'https://gateway.example:9443'],
    ['  gateway.example:9443 ', 'https://gateway.example:9443'],
    ['https://gateway.example/console/', 'https://gateway.example/console'],
    ['https://gateway.example/?token=x#y', 'https://gateway.example'],
    ['http://127.0.0.1:3000/', 'http://127.0.0.1:3000'],
    ['https://[2001:db8::1]:9443', 'https://[2001:db8::1]:9443'],
  ])('reads %j as %s', (typed, url) => {
    expect(gatewayUrl(typed)).toBe(url);
  });

  it.each(['', 'https://', 'ftp://gateway.example', 'https://admin:pw@gateway.example', 'https://a b'])(
    'refuses %j as wrong usage and never repeats a password',
    (typed) => {
      expect(() => gatewayUrl(typed)).toThrow(Failure);
      expect(() => gatewayUrl(typed)).not.toThrow(/:pw@/);
    },
  );

  it.each([
    ['http://gateway.example', true],
    ['http://192.0.2.7:3000', true],
    ['http://127.0.0.1.example', true],
    ['https://gateway.example', false],
    ['http://127.0.0.1:3000', false],
    ['http://localhost:3000', false],
    ['http://[::1]:3000', false],
  ])('knows whether %s can be overheard: %s', (url, exposed) => {
    let refused = false;
    try {
      refuseExposed(url, false);
    } catch {
      refused = true;
    }
    expect(refused).toBe(exposed);
  });
});
