import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { field } from '../contract/field.ts';
import { check } from '../contract/problem.ts';
import {
  backendHostProblem,
  backendHostRequired,
  builtinLockedFields,
  isLoopbackHost,
  nodeCan,
  requireAuthProblem,
  serviceCan,
  timeToLiveMs,
  tokenExpiryProblem,
  tokenStatus,
} from './index.ts';

const now = new Date('2026-11-21T10:00:00.000Z');
const after = (ms: number) => new Date(now.getTime() + ms).toISOString();

test.each([
  ['localhost', true],
  ['LOCALHOST', true],
  ['console.localhost', true],
  ['127.0.0.1', true],
  ['127.8.9.10', true],
  ['::1', true],
  ['[::1]', true],
  ['127.example.com', false],
  ['localhost.example.com', false],
  ['notlocalhost', false],
  ['192.0.2.1', false],
  ['::', false],
  ['', false],
])('the host %j is loopback: %s', (host, isLoopback) => expect(isLoopbackHost(host)).toBe(isLoopback));

describe('the status of an access token', () => {
  test('ends with the millisecond of its end, however near or far that is', () => {
    const day = 86_400_000;
    const distance = fc.oneof(
      fc.integer({ min: -2, max: 2 }),
      fc.integer({ min: -700_000 * day, max: 2_900_000 * day }),
    );
    fc.assert(
      fc.property(distance, fc.boolean(), (ms, revoked) => {
        const expireAt = after(ms);
        expect(tokenStatus({ revoked: false, expireAt }, now)).toBe(ms < 0 ? 'Expired' : 'Active');
        expect(tokenStatus({ revoked, expireAt: null }, now)).toBe(revoked ? 'Revoked' : 'Active');
        expect(tokenExpiryProblem(expireAt, now) === null).toBe(ms >= 0);
      }),
    );
  });

  test.each([
    ['0001-01-01T00:00:00.000Z', 'Expired'],
    ['9999-12-31T23:59:59.999Z', 'Active'],
    ['2026-11-21T12:00:00.000+02:00', 'Active'],
  ] as const)('with the end %s is %s', (expireAt, status) => {
    expect(tokenStatus({ revoked: false, expireAt }, now)).toBe(status);
  });

  test('only one that has not ended can be made', () => {
    expect(tokenExpiryProblem(null, now)).toBeNull();
    expect(tokenExpiryProblem(undefined, now)).toBeNull();
    const message = 'This field must be greater than or equal to now';
    expect(tokenExpiryProblem(after(-1), now)).toEqual({ field: 'expireAt', message });
  });
});

describe('the backend host', () => {
  const plain = { isGateway: false, isLocal: false, address: '10.88.0.2', gatewayNetworks: null };
  const gateway = { ...plain, isGateway: true };
  const local = { isGateway: false, isLocal: true, address: '127.0.0.1', gatewayNetworks: null };

  test('is required for a gateway and the local node, and only there', () => {
    expect([plain, gateway, local].map(backendHostRequired)).toEqual([false, true, true]);
    for (const node of [gateway, local]) {
      for (const absent of [undefined, null, '']) {
        expect(backendHostProblem(node, absent)).toEqual({ field: 'backendHost', message: 'This field is required' });
      }
    }
    expect(backendHostProblem(local, 'backend.lan')).toBeNull();
    expect(backendHostProblem(plain, null)).toBeNull();
    expect(backendHostProblem(plain, 'backend.lan')?.field).toBe('backendHost');
  });
});

describe('the backend host of a gateway node', () => {
  const gatewayNetworks = [
    { interface: 'eth0', subnet: '198.18.7.0/24' },
    { interface: 'eth1', subnet: '198.18.9.8/30' },
  ];
  const gateway = { isGateway: true, isLocal: false, address: '10.88.0.3', gatewayNetworks };
  const reason = (host: string) => backendHostProblem(gateway, host)?.message;

  test.each(['198.18.7.0', '198.18.7.255', '198.18.9.11', '10.88.0.3'])('may be %s', (host) => {
    expect(reason(host)).toBeUndefined();
  });

  test.each(['198.18.8.1', '198.18.9.12', '10.88.0.2', '10.88.0.1', '127.0.0.1'])('is not behind it: %s', (host) => {
    expect(reason(host)).toBe(
      `${host} is not behind this gateway node. Give an IPv4 address within 198.18.7.0/24 or 198.18.9.8/30, or 10.88.0.3 for the node itself.`,
    );
  });

  test.each(['nas', 'nas.lan', 'web.default.svc'])('may be a name, which its network knows: %s', (host) => {
    expect(reason(host)).toBeUndefined();
  });

  test.each([
    ['localhost', 'localhost is each machine itself. Give an IPv4 address'],
    ['2001:db8::7', 'The tunnel carries IPv4 alone. Give an IPv4 address'],
  ])('cannot be %s, which leads nowhere there', (host, text) => {
    expect(reason(host)).toContain(text);
  });
});

test('sign-in can be required only where the domain has it', () => {
  const refused = { field: 'requireAuth', message: 'Authentication is not enabled for this domain' };
  expect(requireAuthProblem(true, { authentication: true })).toBeNull();
  expect(requireAuthProblem(true, { authentication: false })).toEqual(refused);
  expect(requireAuthProblem(true, null)).toEqual(refused);
  expect(requireAuthProblem(false, null)).toBeNull();
});

test('the local node is protected, any other is not', () => {
  for (const [action, can] of Object.entries(nodeCan)) {
    expect(can({ isLocal: false }), action).toEqual({ allowed: true });
    const refused = { allowed: false, reason: expect.stringMatching(/^Local node /) };
    expect(can({ isLocal: true }), action).toMatchObject(refused);
  }
  expect(Object.keys(nodeCan)).toEqual(['update', 'enable', 'disable', 'remove', 'download', 'createToken']);
});

test('the built-in console can be neither closed nor deleted, and its backend is locked', () => {
  for (const [action, can] of Object.entries(serviceCan)) {
    expect(can({}), action).toEqual({ allowed: true });
    expect(can({ builtin: true }), action).toMatchObject({ allowed: false });
  }
  expect(builtinLockedFields).toEqual(
    expect.arrayContaining(['backendHost', 'backendPort', 'backendProto', 'pathLocation']),
  );
});

describe('a time to live', () => {
  test.each([
    ['30s', 30_000],
    ['10m', 600_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    ['5 m', 300_000],
  ])('%s is %i ms', (ttl, ms) => {
    expect(timeToLiveMs(ttl)).toBe(ms);
  });

  test('whatever the contract accepts ends at a moment that a date can hold', () => {
    const texts = fc
      .tuple(fc.integer({ min: 0, max: 999_999_999 }), fc.constantFrom('s', 'm', 'h', 'd'))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(texts, (ttl) => {
        if (!check(field.timeToLive, ttl).ok) return;
        expect(new Date(now.getTime() + timeToLiveMs(ttl)).getTime()).toBeGreaterThan(now.getTime());
      }),
    );
    expect(check(field.timeToLive, '3650d').ok).toBe(true);
    expect(check(field.timeToLive, '3651d').ok).toBe(false);
  });
});
