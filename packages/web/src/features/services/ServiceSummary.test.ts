import { expect, it } from 'vitest';
import { serviceSummary } from './ServiceSummary.tsx';

const nas = { name: 'nas', address: '10.88.0.2', isGateway: false, isLocal: false };
const local = { name: 'Local', address: '10.88.0.1', isGateway: false, isLocal: true };
const config = { VPN_HOST: 'gw.example.com', PUBLIC_HTTPS_PORT: 443 };
const now = new Date(2026, 10, 28, 10, 0);
const http = {
  domain: 'app.example.com',
  pathLocation: '/',
  backendProto: 'http',
  backendHost: '',
  backendPort: 8080,
  requireAuth: false,
  allowedIps: [],
  blockedIps: [],
  ttl: undefined,
};
const tcp = { ...http, pathLocation: undefined, proto: 'tcp', port: null, domain: '', backendHost: '127.0.0.1' };

type Facts = Parameters<typeof serviceSummary>[0];
const said = (values: object, more: Partial<Facts> = {}) =>
  serviceSummary({ node: nas, service: undefined, config, now, ...more, values: { ...http, ...values } });
const ofPort = (values: object, more: Partial<Facts> = {}) =>
  serviceSummary({ node: local, service: undefined, config, now, ...more, values: { ...tcp, ...values } });

it('says where visitors come in, where they are led, who they are and until when', () => {
  expect(said({ ttl: '8h' })).toBe(
    'https://app.example.com/ → http://10.88.0.2:8080 on nas, open to everyone, until 18:00',
  );
  expect(said({ ttl: '3d' })).toMatch(/, until 12\/01\/2026, 10:00$/);
  expect(said({ ttl: '' })).toMatch(/open to everyone$/);
  expect(said({ ttl: ' ' })).toMatch(/open to everyone$/);
});

it('keeps the end that the service has until another is chosen', () => {
  const service = { enabled: true, expiresAt: new Date(2026, 10, 28, 12, 30).toISOString() };
  expect(said({}, { service })).toMatch(/, until 12:30$/);
  expect(said({ ttl: '' }, { service })).toMatch(/open to everyone$/);
  expect(said({}, { service: { ...service, enabled: false } })).toMatch(/on nas, closed until it is enabled$/);
});

it.each([
  [{}, 'open to everyone'],
  [{ allowedIps: ['203.0.113.0/24'] }, 'open to 203.0.113.0/24'],
  [{ allowedIps: ['203.0.113.0/24', '192.0.2.1', ''] }, 'open to 2 ranges'],
  [{ blockedIps: ['192.0.2.1'] }, 'open to everyone, except 192.0.2.1'],
  [{ requireAuth: true }, 'open to visitors who sign in'],
  [
    { requireAuth: true, allowedIps: ['192.0.2.1', '192.0.2.2'], blockedIps: ['::1'] },
    'open to 2 ranges who sign in, except ::1',
  ],
])('%j is %s', (values, access) => {
  expect(said(values)).toMatch(new RegExp(`on nas, ${access.replaceAll('.', String.raw`\.`)}$`));
});

it('has the address as visitors will use it', () => {
  expect(said({ domain: '', pathLocation: '/shop' })).toMatch(/^https:\/\/gw\.example\.com\/shop → /);
  expect(said({ domain: 'Bücher.example' })).toMatch(/^https:\/\/xn--bcher-kva\.example\/ → /);
  expect(said({}, { config: { ...config, PUBLIC_HTTPS_PORT: 8443 } })).toMatch(
    /^https:\/\/app\.example\.com:8443\/ → /,
  );
  expect(said({ domain: '' }, { config: { ...config, VPN_HOST: '2001:db8::1' } })).toMatch(
    /^https:\/\/\[2001:db8::1\]\//,
  );
});

it('leaves open what is still to be entered', () => {
  expect(said({ backendPort: null }, { node: local })).toContain(' → http://…:… on Local');
  expect(said({ domain: '' }, { config: undefined })).toMatch(/^https:\/\/…\/ → /);
});

it('tells of a port', () => {
  expect(ofPort({})).toBe('A free TCP port of gw.example.com → tcp://127.0.0.1:8080 on Local, open to everyone');
  expect(ofPort({ proto: 'udp', port: 20_005, backendHost: '::1', domain: 'dns.example.com' })).toBe(
    'udp://dns.example.com:20005 → udp://[::1]:8080 on Local, open to everyone',
  );
});
