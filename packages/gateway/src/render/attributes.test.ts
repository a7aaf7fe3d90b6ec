import { httpServiceAttributes, httpServiceDefaults } from '@sallyport/sdk/contract';
import { expect, it } from 'vitest';
import type { DesiredHttpService, RenderOptions } from './desiredState.ts';
import { renderNginx } from './nginx.ts';

type Attribute = keyof typeof httpServiceAttributes;

/** Another value for each thing that an administrator can say. */
const OTHER: Pick<DesiredHttpService, Attribute> = {
  name: 'Another name',
  domain: null,
  pathLocation: '/other',
  backendProto: 'https',
  backendHost: 'other.internal',
  backendPort: 8443,
  allowedIps: ['192.0.2.0/24'],
  blockedIps: ['192.0.2.1'],
  requireAuth: true,
  skipAuthRoutes: '/public',
};

/** What visitors never notice, and why. */
const UNSEEN: Partial<Record<Attribute, string>> = {
  name: 'it is for administrators',
  backendHost: 'the gateway resolves it; nginx gets the addresses',
  skipAuthRoutes: 'without sign-in for visitors a protected service is closed as a whole',
};

const options: RenderOptions = {
  layout: {
    tmp: '/data/tmp',
    acme: '/data/acme',
    gatewaySocket: '/data/run/gateway.sock',
    statusSocket: '/data/run/status.sock',
    accessLog: '/data/logs/access.log',
    errorLog: '/data/logs/error.log',
    pidFile: '/data/run/nginx.pid',
    workerUser: null,
  },
  listen: ['0.0.0.0'],
  ports: { http: 80, https: 443, console: 9443 },
  certificate: { certificate: '/data/own.pem', key: '/data/own.pem' },
};

const rendered = (change: Partial<DesiredHttpService>): string => {
  const service: DesiredHttpService = {
    ...httpServiceDefaults,
    id: 2,
    name: 'Service',
    domain: 'app.example.test',
    enabled: true,
    builtin: false,
    addresses: ['127.0.0.1'],
    closed: false,
    ...change,
  };
  const certificate = { certificate: '/data/7.pem', key: '/data/7.pem' };
  const domains = [{ id: 7, domain: 'app.example.test', certificate, closed: false }];
  return JSON.stringify(renderNginx({ domains, httpServices: [service] }, options).files);
};

// A field that is saved and then does nothing is a lie; the peer's block list was one.
it.each(Object.keys(httpServiceAttributes) as Attribute[])('%s does on the wire what it says', (name) => {
  const isSeen = rendered({ [name]: OTHER[name] }) !== rendered({});
  expect(isSeen, UNSEEN[name] ?? 'nginx is not told of it').toBe(!(name in UNSEEN));
});
