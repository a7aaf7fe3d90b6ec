import { describe, expect, it } from 'vitest';
import { Failure } from './failure.ts';
import { gatewayUrl, isExposed, pinOf } from './gatewayAddress.ts';

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
    expect(isExposed(url)).toBe(exposed);
  });
});

describe('a pin', () => {
  const digits = 'AB'.repeat(32);

  it.each([
    digits,
    digits.toLowerCase(),
    'AB:'.repeat(31) + 'AB',
    `SHA256:${digits}`,
    ` sha-256=${digits}\n`,
    `SHA-256 ${digits}`,
    `SHA-256 ${digits}`,
  ])('reads %j', (typed) => {
    expect(pinOf(typed)).toBe(digits);
  });

  it.each(['', 'AB', `${digits}AB`, 'XY'.repeat(32)])('refuses %j', (typed) => {
    expect(() => pinOf(typed)).toThrow('--pin takes the SHA-256');
  });
});
