import { httpServiceDefaults } from '@sallyport/sdk/contract';
import * as fc from 'fast-check';
import type { DesiredDomain, DesiredHttpService, DesiredState, RenderOptions } from '../ingress/render/desiredState.ts';

/** A domain that is served, with a certificate. */
export const domain = (id: number, name: string, rest: Partial<DesiredDomain> = {}): DesiredDomain => ({
  id,
  domain: name,
  certificate: { certificate: `/data/${id}.pem`, key: `/data/${id}.key` },
  closed: false,
  signIn: false,
  hsts: null,
  users: 'gateway',
  ...rest,
});

/** An HTTP service that is open, at the root of `app.example.test`. */
export const service = (id: number, rest: Partial<DesiredHttpService> = {}): DesiredHttpService => ({
  ...httpServiceDefaults,
  id,
  name: 'Service',
  domain: 'app.example.test',
  backendPort: 8080,
  enabled: true,
  builtin: false,
  addresses: ['127.0.0.1'],
  remoteNode: null,
  sourceAddress: null,
  closed: false,
  ...rest,
});

/** The gateway's own console, on its own port. */
export const consoleService = (rest: Partial<DesiredHttpService> = {}): DesiredHttpService =>
  service(1, { builtin: true, domain: null, addresses: [], ...rest });

/** One domain, the console, and these services. */
export const stateOf = (...httpServices: DesiredHttpService[]): DesiredState => ({
  domains: [domain(7, 'app.example.test')],
  httpServices: [consoleService(), ...httpServices],
  tcpServices: [],
});

/** An ingress on paper: its paths lead nowhere. */
export const renderOptions: RenderOptions = {
  layout: {
    generationMark: '@GENERATION@',
    tmp: '/data/tmp',
    acme: '/data/acme',
    gatewaySocket: '/data/run/gateway.sock',
    statusSocket: '/data/run/status.sock',
    accessLog: '/data/logs/access.log',
    errorLog: '/data/logs/error.log',
    pidFile: '/data/run/nginx.pid',
    workerUser: { name: 'www-data' },
    streamModule: null,
    headersModule: null,
    hasHalfClose: true,
  },
  listen: ['0.0.0.0', '[::]'],
  ports: { http: 80, https: 443, console: 9443 },
  publicHttpsPort: 443,
  trustedProxies: [],
  publicHost: 'gateway.test',
  answersTo: ['gateway.test'],
  wiredoorClients: false,
  workers: 2,
  connections: 16_384,
  certificate: { certificate: '/data/own.pem', key: '/data/own.key' },
  servicesCertificate: { certificate: '/data/services.pem', key: '/data/services.key' },
};

const PIECES = '; { } " \' \\ $ ${ # / .. ~ * @ all unix: a.test /app 10.0.0.1 \u2028'.split(' ');

/** Texts that would be more than one word of a configuration, were they written as they are. */
export const hostileText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc
    .array(fc.constantFrom(...PIECES, '\n', '\r', '\0', ' ', 'include /etc/passwd'), { maxLength: 8 })
    .map((parts) => parts.join('')),
);

/** In the place of a number. */
export const hostileNumber = fc.oneof(fc.integer(), fc.double(), hostileText as fc.Arbitrary<never>);
