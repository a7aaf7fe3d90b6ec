import { describe, expect, test } from 'vitest';
import { domain } from './domain.ts';
import { httpService } from './httpService.ts';
import { node } from './node.ts';
import { pageOf } from './paging.ts';
import { check } from './problem.ts';
import { token } from './token.ts';

// A node as Wiredoor 1.7 answers it: fields that we do not know, and none of those that are ours.
const foreignNode = {
  id: 2,
  name: 'edge-1',
  address: '192.0.2.2',
  dns: null,
  keepalive: 25,
  gatewayNetwork: null,
  gatewayNetworks: [{ interface: 'eth0', subnet: '198.51.100.0/24' }],
  wgInterface: 'wg0',
  allowInternet: false,
  advanced: false,
  enabled: true,
  isGateway: true,
  isLocal: false,
  privateKey: 'never ours to show',
};

describe('replies are read tolerantly', () => {
  test('an unknown field is dropped, one that is left out has its neutral value', () => {
    const checked = check(node, foreignNode);
    expect(checked).toMatchObject({
      ok: true,
      value: { version: 1, status: 'offline', clientIp: null, latestHandshakeTimestamp: null, problem: null },
    });
    expect(checked.ok && Object.keys(checked.value)).not.toContain('privateKey');
    expect(checked.ok && Object.keys(checked.value)).not.toContain('wgInterface');
  });

  test('services, domains and tokens too', () => {
    const service = {
      id: 7,
      nodeId: 2,
      name: 'app',
      backendPort: 80,
      enabled: true,
      publicAccess: 'https://app.test/',
    };
    expect(check(httpService, { ...service, backendProto: 'http', requireAuth: false })).toMatchObject({
      ok: true,
      value: { pathLocation: '/', ssl: true, health: 'unknown', healthReason: null, expiresAt: null, builtin: false },
    });
    expect(
      check(domain, { id: 1, domain: 'app.test', ssl: 'certbot', skipValidation: false, authentication: false }),
    ).toMatchObject({ ok: true, value: { allowedEmails: null } });
    expect(check(token, { id: 3, nodeId: 2, name: 'default' })).toMatchObject({
      ok: true,
      value: { revoked: false, expireAt: null, lastUsedAt: null },
    });
  });

  test('but not without what makes them what they are', () => {
    const { name: _, ...nameless } = foreignNode;
    expect(check(node, nameless).ok).toBe(false);
    expect(check(node, { ...foreignNode, status: 'sleeping' }).ok).toBe(false);
  });
});

describe('a page', () => {
  const rows = pageOf(token);
  const row = { id: 3, nodeId: 2, name: 'default' };

  test('is read as it comes', () => {
    expect(check(rows, { data: [row], page: 2, limit: 5, total: 6 })).toMatchObject({
      ok: true,
      value: { data: [{ id: 3 }], page: 2, limit: 5, total: 6 },
    });
  });

  test('is made of a bare array, and of an object that holds rows alone', () => {
    const whole = { ok: true, value: { data: [{ id: 3 }], page: 1, limit: 1, total: 1 } };
    expect(check(rows, [row])).toMatchObject(whole);
    expect(check(rows, { 0: row, data: [row] })).toMatchObject(whole);
    expect(check(rows, [])).toEqual({ ok: true, value: { data: [], page: 1, limit: 0, total: 0 } });
  });

  test('is nothing else', () => {
    for (const value of [null, 'text', {}, { data: 5 }, { data: [row], total: 1 }, [{}]]) {
      expect(check(rows, value).ok).toBe(false);
    }
  });
});
