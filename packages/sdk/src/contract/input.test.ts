import { expect, test } from 'vitest';
import type * as z from 'zod/mini';
import { contract } from './contract.ts';
import { domainInput, domainPatch } from './domain.ts';
import { httpServiceInput, httpServicePatch } from './httpService.ts';
import { logQuery } from './log.ts';
import { nodeInput, nodePatch } from './node.ts';
import { check } from './problem.ts';
import { loginInput } from './session.ts';
import { tcpServiceInput, tcpServicePatch } from './tcpService.ts';
import { tokenInput } from './token.ts';

const REQUIRED = 'This field is required';

/** Problems as `field: message`, in the order in which they are told. */
function told(schema: z.ZodMiniType, value: unknown): string[] {
  const checked = check(schema, value);
  return checked.ok ? [] : checked.problems.map((problem) => `${problem.field}: ${problem.message}`);
}

test('whatever is no object is told so', () => {
  for (const value of [undefined, null, 5, 'text', []]) {
    expect(told(nodeInput, value)).toEqual([': This field must be of type object']);
  }
});

test('an unknown field is refused by its name', () => {
  expect(told(nodeInput, { name: 'edge', enabled: true })).toEqual(['enabled: "enabled" is not allowed']);
  expect(told(contract.node.list.query, { pag: 1 })).toEqual(['pag: "pag" is not allowed']);
  expect(told(contract.node.watchOne.query, { id: 1, token: 'x' })).toEqual(['token: "token" is not allowed']);
});

const EMPTY = 'This field is not allowed to be empty';
const IP = 'must be a valid ip address with a optional CIDR';
const SUBNET = '192.0.2.0/24';
const gateway = { name: 'edge', isGateway: true };
const eth0 = [{ interface: 'eth0', subnet: SUBNET }];
const app = { name: 'app', pathLocation: '/' };
const RESERVED = "pathLocation: Paths below /.sallyport are the gateway's own. Choose another path.";

const inputs: [what: string, schema: z.ZodMiniType, given: object, told: string[]][] = [
  ['a sign-in', loginInput, {}, [`username: ${REQUIRED}`, `password: ${REQUIRED}`]],
  ['a sign-in', loginInput, { username: '', password: '' }, [`username: ${EMPTY}`, `password: ${EMPTY}`]],
  ['a node', nodeInput, { name: 'edge' }, []],
  ['a node', nodeInput, {}, [`name: ${REQUIRED}`]],
  ['a gateway node', nodeInput, gateway, [`gatewayNetwork: ${REQUIRED}`]],
  ['a gateway node', nodeInput, { ...gateway, gatewayNetwork: '' }, [`gatewayNetwork: ${REQUIRED}`]],
  ['a gateway node', nodeInput, { ...gateway, gatewayNetworks: [] }, [`gatewayNetworks: ${REQUIRED}`]],
  ['a gateway node', nodeInput, { ...gateway, gatewayNetwork: SUBNET }, []],
  ['a gateway node', nodeInput, { ...gateway, gatewayNetworks: eth0 }, []],
  [
    'a gateway node, with the place of what is wrong',
    nodeInput,
    { ...gateway, gatewayNetworks: [{ interface: '', subnet: '192.0.2.1' }, {}] },
    [
      `gatewayNetworks.0.interface: ${EMPTY}`,
      'gatewayNetworks.0.subnet: "gatewayNetworks[0].subnet" must be a valid ip address with a required CIDR',
      `gatewayNetworks.1.interface: ${REQUIRED}`,
      `gatewayNetworks.1.subnet: ${REQUIRED}`,
    ],
  ],
  ['a plain node', nodeInput, { name: 'edge', gatewayNetwork: SUBNET }, ['gatewayNetwork: This field must be [null]']],
  ['a plain node', nodeInput, { name: 'edge', gatewayNetworks: eth0 }, ['gatewayNetworks: This field must be [null]']],
  ['a plain node', nodeInput, { name: 'edge', gatewayNetwork: '', gatewayNetworks: [] }, []],
  ['a plain node', nodeInput, { name: 'edge', gatewayNetwork: null, gatewayNetworks: null }, []],
  [
    'all that is wrong at once, rules that join fields too',
    nodeInput,
    { name: '', address: '192.0.2.1/24', isGateway: true, keepalive: 121 },
    [
      `name: ${EMPTY}`,
      'address: "address" must be a valid ip address of one of the following versions [ipv4] with a forbidden CIDR',
      'keepalive: This field must be less than or equal to 120',
      `gatewayNetwork: ${REQUIRED}`,
    ],
  ],
  ['a change of a node', nodePatch, { name: '' }, [`name: ${EMPTY}`]],
  ['a change of a node', nodePatch, { isLocal: true }, ['isLocal: "isLocal" is not allowed']],
  ['a domain', domainInput, {}, [`domain: ${REQUIRED}`]],
  ['a domain', domainInput, { domain: 'a.test', ssl: 'certbot' }, []],
  [
    'a domain',
    domainInput,
    { domain: 'a.test', ssl: 'letsencrypt' },
    ['ssl: This field must be one of [self-signed, certbot]'],
  ],
  [
    'a domain without validation',
    domainInput,
    { domain: 'a.test', skipValidation: true, ssl: 'certbot' },
    ['ssl: This field must be [self-signed]'],
  ],
  ['a domain without validation', domainInput, { domain: 'a.test', skipValidation: true, ssl: 'self-signed' }, []],
  [
    'a domain with sign-in',
    domainInput,
    { domain: 'a.test', allowedEmails: ['a@b.test', 'x'], authentication: true },
    ['allowedEmails.1: This field must be a valid email'],
  ],
  [
    'a domain without sign-in',
    domainInput,
    { domain: 'a.test', allowedEmails: ['a@b.test'] },
    ['allowedEmails: "allowedEmails" must contain less than or equal to 0 items'],
  ],
  ['a domain without sign-in', domainInput, { domain: 'a.test', allowedEmails: [] }, []],
  ['a new domain', domainInput, { domain: 'a.test', publish: true }, ['publish: "publish" is not allowed']],
  [
    'an HTTP service',
    httpServiceInput,
    { name: 'app', domain: '', pathLocation: '' },
    ['domain: "value" must contain at least one of [domain, pathLocation]'],
  ],
  ['an HTTP service', httpServiceInput, { name: 'app', domain: 'a.test' }, []],
  ['an HTTP service', httpServiceInput, { name: 'app', pathLocation: '/app' }, []],
  ["the gateway's own path", httpServiceInput, { ...app, pathLocation: '/.sallyport' }, [RESERVED]],
  ["the gateway's own path", httpServiceInput, { ...app, pathLocation: '/.sallyport/' }, [RESERVED]],
  ["the gateway's own path", httpServicePatch, { pathLocation: '/.sallyport/check' }, [RESERVED]],
  ['a path that only looks like it', httpServiceInput, { ...app, pathLocation: '/.sallyportal' }, []],
  ['a path that only looks like it', httpServiceInput, { ...app, pathLocation: '/x/.sallyport' }, []],
  [
    'what an HTTP service does not understand',
    httpServiceInput,
    {
      pathLocation: 'app',
      backendProto: 'ftp',
      backendPort: 0,
      allowedIps: ['192.0.2.0/33'],
      blockedIps: ['x'],
      requireAuth: 'yes',
      ttl: 'soon',
    },
    [
      `name: ${REQUIRED}`,
      `allowedIps.0: "allowedIps[0]" ${IP}`,
      `blockedIps.0: "blockedIps[0]" ${IP}`,
      'pathLocation: Path Location must be an absolute URL path containing only letters, numbers, "/", ".", "_", "~", and "-"',
      'backendProto: This field must be one of [http, https]',
      'backendPort: "backendPort" must be a valid port',
      'requireAuth: This field must be a boolean',
      'ttl: TTL must be a string like "30s", "10m", "2h", "1d"',
    ],
  ],
  ['a change of an HTTP service', httpServicePatch, { nodeId: 2 }, ['nodeId: "nodeId" is not allowed']],
  ['a TCP service', tcpServiceInput, {}, [`name: ${REQUIRED}`, `backendPort: ${REQUIRED}`]],
  ['a TCP service', tcpServiceInput, { name: 'mqtt', backendPort: 1883, port: null }, []],
  [
    'a TCP service',
    tcpServiceInput,
    { name: 'mqtt', backendPort: 1883, port: 70_000, proto: 'sctp' },
    ['proto: This field must be one of [tcp, udp]', 'port: "port" must be a valid port'],
  ],
  [
    'TLS over UDP',
    tcpServiceInput,
    { name: 'dns', backendPort: 53, proto: 'udp', ssl: true },
    ['ssl: TLS can be terminated for TCP only'],
  ],
  ['an access token', tokenInput, {}, [`name: ${REQUIRED}`]],
  ['an access token', tokenInput, { name: 'ci', expireAt: 'soon' }, ['expireAt: This field must be a valid date']],
  ['an access token', tokenInput, { name: 'ci', revoked: true }, ['revoked: "revoked" is not allowed']],
  ['a log stream', logQuery, {}, [`domain: ${REQUIRED}`]],
  ['a log stream', logQuery, { type: 'http' }, [`id: ${REQUIRED}`]],
  ['a log stream', logQuery, { id: '7' }, [`type: ${REQUIRED}`]],
  ['a log stream', logQuery, { domain: '../../etc' }, ['domain: This field must contain a valid domain name']],
];
test.each(inputs)('%s is told what is wrong with %j', (_, schema, given, problems) => {
  expect(told(schema, given)).toEqual(problems);
});

test.each(['all', 'default', 'lo', 'eth0; rm -rf /', '$(id)', 'a b', '-i', 'a234567890123456'])(
  'an interface is not called %j',
  (name) => {
    const gatewayNetworks = [{ interface: name, subnet: SUBNET }];
    expect(told(nodeInput, { ...gateway, gatewayNetworks })).toHaveLength(1);
  },
);

test.each(['/public', '^/api/(auth|cli)/.*', '/a\n\n^/b$'])('%j may pass without sign-in', (skipAuthRoutes) => {
  expect(told(httpServiceInput, { ...app, skipAuthRoutes })).toEqual([]);
});

test.each(['public', 'GET=/a', '/a {', '/a;', '/a\r', '^a b', "/'", '/a\u0000', '/a\nb'])(
  '%j is no route without sign-in',
  (skipAuthRoutes) => {
    const wrong = ['skipAuthRoutes: This field contains an invalid value'];
    expect(told(httpServiceInput, { ...app, skipAuthRoutes })).toEqual(wrong);
  },
);

test.each([
  [nodePatch, {}, {}],
  [nodePatch, { isGateway: true }, { isGateway: true }],
  [domainPatch, { authentication: false, publish: true }, { authentication: false, publish: true }],
  [httpServicePatch, { domain: '', ttl: null }, { domain: null, ttl: null }],
  [httpServicePatch, { name: 'app' }, { name: 'app' }],
  [tcpServicePatch, { port: 20_001 }, { port: 20_001 }],
  [tokenInput, { name: 'ci', expireAt: '' }, { name: 'ci', expireAt: null }],
  [tokenInput, { name: 'ci', expireAt: '2027-01-01' }, { name: 'ci', expireAt: '2027-01-01T00:00:00.000Z' }],
  [logQuery, { type: 'tcp', id: '7' }, { type: 'tcp', id: 7 }],
  [contract.node.list.query, { page: '2', limit: '10', type: 'gateways' }, { page: 2, limit: 10, type: 'gateways' }],
])('what is given is kept, and nothing else: %#', (schema, given, kept) => {
  expect(check(schema, given)).toEqual({ ok: true, value: kept });
});

test('the query of a list is bounded', () => {
  expect(told(contract.node.list.query, { orderBy: 'name,desc' })).toEqual([]);
  expect(told(contract.node.list.query, { page: '0', limit: '1001', orderBy: 'token,asc', type: 'all' })).toEqual([
    'page: This field must be greater than or equal to 1',
    'limit: This field must be less than or equal to 1000',
    expect.stringMatching(/^orderBy: This field must be one of \[id,asc, id,desc, name,asc, .*created_at,desc\]$/),
    'type: This field must be one of [nodes, gateways]',
  ]);
});
