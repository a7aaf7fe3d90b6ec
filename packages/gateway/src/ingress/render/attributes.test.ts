import {
  httpServiceAttributes,
  httpServiceDefaults,
  tcpServiceAttributes,
  tcpServiceDefaults,
} from '@sallyport/sdk/contract';
import { describe, expect, it } from 'vitest';
import type { DesiredHttpService, DesiredTcpService } from './desiredState.ts';
import { renderNginx } from './nginx.ts';
import { renderOptions as options } from '../../testing/desiredStates.ts';

type HttpAttribute = keyof typeof httpServiceAttributes;
type TcpAttribute = keyof typeof tcpServiceAttributes;

/** Another value for each thing that an administrator can say. */
const OTHER_HTTP: Pick<DesiredHttpService, HttpAttribute> = {
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
const OTHER_TCP: Pick<DesiredTcpService, TcpAttribute> = {
  name: 'Another name',
  domain: null,
  proto: 'udp',
  backendHost: 'other.internal',
  backendPort: 8443,
  allowedIps: ['192.0.2.0/24'],
  blockedIps: ['192.0.2.1'],
  ssl: true,
};

/** What visitors never notice, and why. */
const UNSEEN: Partial<Record<HttpAttribute | TcpAttribute, string>> = {
  name: 'it is for administrators',
  backendHost: 'the gateway resolves it; nginx gets the addresses',
};

/** What says nothing without something else. */
const WITH: Partial<Record<HttpAttribute | TcpAttribute, object>> = { skipAuthRoutes: { requireAuth: true } };

const certificate = { certificate: '/data/7.pem', key: '/data/7.pem' };
const domains = [
  {
    id: 7,
    domain: 'app.example.test',
    certificate,
    closed: false,
    signIn: true,
    hsts: null,
    users: 'gateway' as const,
  },
];
const common = { id: 2, name: 'Service', domain: 'app.example.test', enabled: true } as const;
const found = { addresses: ['127.0.0.1'], remoteNode: null, sourceAddress: null, closed: false };

const renderedHttp = (change: Partial<DesiredHttpService>): string => {
  const service = { ...httpServiceDefaults, ...common, ...found, builtin: false, ...change };
  return JSON.stringify(renderNginx({ domains, httpServices: [service], tcpServices: [] }, options).files);
};
const renderedTcp = (change: Partial<DesiredTcpService>): string => {
  const service = { ...tcpServiceDefaults, ...common, ...found, nodeId: 1, port: 20_000, ...change };
  return JSON.stringify(renderNginx({ domains, httpServices: [], tcpServices: [service] }, options).files);
};

// A field that is saved and then does nothing is a lie; the peer's block list was one.
describe.each([
  ['an HTTP service', renderedHttp, OTHER_HTTP, Object.keys(httpServiceAttributes)],
  ['a TCP service', renderedTcp, OTHER_TCP, Object.keys(tcpServiceAttributes)],
] as const)('of %s', (_, rendered, other, names) => {
  it.each(names as (keyof typeof UNSEEN)[])('%s does on the wire what it says', (name) => {
    const isSeen =
      rendered({ ...WITH[name], [name]: (other as Record<string, unknown>)[name] }) !== rendered({ ...WITH[name] });
    expect(isSeen, UNSEEN[name] ?? 'nginx is not told of it').toBe(!(name in UNSEEN));
  });
});
