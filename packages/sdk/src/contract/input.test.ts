import { describe, expect, test } from 'vitest';
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

function kept(schema: z.ZodMiniType, value: unknown): unknown {
  const checked = check(schema, value);
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
  return checked.value;
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

describe('sign-in', () => {
  test('both fields are required', () => {
    expect(told(loginInput, {})).toEqual([`username: ${REQUIRED}`, `password: ${REQUIRED}`]);
    expect(told(loginInput, { username: '', password: '' })).toEqual([
      'username: This field is not allowed to be empty',
      'password: This field is not allowed to be empty',
    ]);
  });
});

describe('a node', () => {
  test('needs no more than a name', () => {
    expect(told(nodeInput, { name: 'edge' })).toEqual([]);
    expect(told(nodeInput, {})).toEqual([`name: ${REQUIRED}`]);
  });

  test('that is a gateway needs its subnet', () => {
    expect(told(nodeInput, { name: 'edge', isGateway: true })).toEqual([`gatewayNetwork: ${REQUIRED}`]);
    expect(told(nodeInput, { name: 'edge', isGateway: true, gatewayNetwork: '' })).toEqual([
      `gatewayNetwork: ${REQUIRED}`,
    ]);
    expect(told(nodeInput, { name: 'edge', isGateway: true, gatewayNetworks: [] })).toEqual([
      `gatewayNetworks: ${REQUIRED}`,
    ]);
    expect(told(nodeInput, { name: 'edge', isGateway: true, gatewayNetwork: '192.0.2.0/24' })).toEqual([]);
    expect(
      told(nodeInput, {
        name: 'edge',
        isGateway: true,
        gatewayNetworks: [{ interface: 'eth0', subnet: '192.0.2.0/24' }],
      }),
    ).toEqual([]);
  });

  test('that is no gateway has none', () => {
    expect(told(nodeInput, { name: 'edge', gatewayNetwork: '192.0.2.0/24' })).toEqual([
      'gatewayNetwork: This field must be [null]',
    ]);
    expect(told(nodeInput, { name: 'edge', gatewayNetwork: '', gatewayNetworks: [] })).toEqual([]);
    expect(told(nodeInput, { name: 'edge', gatewayNetwork: null, gatewayNetworks: null })).toEqual([]);
  });

  test('names the place of what is wrong within a list', () => {
    expect(
      told(nodeInput, { name: 'edge', isGateway: true, gatewayNetworks: [{ interface: '', subnet: '192.0.2.1' }, {}] }),
    ).toEqual([
      'gatewayNetworks.0.interface: This field is not allowed to be empty',
      'gatewayNetworks.0.subnet: "gatewayNetworks[0].subnet" must be a valid ip address with a required CIDR',
      `gatewayNetworks.1.interface: ${REQUIRED}`,
      `gatewayNetworks.1.subnet: ${REQUIRED}`,
    ]);
  });

  test.each(['all', 'default', 'lo', 'eth0; rm -rf /', '$(id)', 'a b', '-i', 'a234567890123456'])(
    'keeps %j out of an interface name',
    (name) => {
      expect(
        told(nodeInput, {
          name: 'edge',
          isGateway: true,
          gatewayNetworks: [{ interface: name, subnet: '192.0.2.0/24' }],
        }),
      ).toHaveLength(1);
    },
  );

  test('shows everything that is wrong at once, rules that join fields too', () => {
    expect(told(nodeInput, { name: '', address: '192.0.2.1/24', isGateway: true, keepalive: 121 })).toEqual([
      'name: This field is not allowed to be empty',
      'address: "address" must be a valid ip address of one of the following versions [ipv4] with a forbidden CIDR',
      'keepalive: This field must be less than or equal to 120',
      `gatewayNetwork: ${REQUIRED}`,
    ]);
  });

  test('is changed field by field', () => {
    expect(kept(nodePatch, {})).toEqual({});
    expect(kept(nodePatch, { isGateway: true })).toEqual({ isGateway: true });
    expect(told(nodePatch, { name: '' })).toEqual(['name: This field is not allowed to be empty']);
    expect(told(nodePatch, { isLocal: true })).toEqual(['isLocal: "isLocal" is not allowed']);
  });
});

describe('a domain', () => {
  test('needs a name', () => {
    expect(told(domainInput, {})).toEqual([`domain: ${REQUIRED}`]);
    expect(told(domainInput, { domain: 'bad domain' })).toEqual([
      'domain: This field must contain a valid domain name',
    ]);
  });

  test('without validation can only be self-signed', () => {
    expect(told(domainInput, { domain: 'app.test', skipValidation: true, ssl: 'certbot' })).toEqual([
      'ssl: This field must be [self-signed]',
    ]);
    expect(told(domainInput, { domain: 'app.test', skipValidation: true, ssl: 'self-signed' })).toEqual([]);
    expect(told(domainInput, { domain: 'app.test', ssl: 'certbot' })).toEqual([]);
    expect(told(domainInput, { domain: 'app.test', ssl: 'letsencrypt' })).toEqual([
      'ssl: This field must be one of [self-signed, certbot]',
    ]);
  });

  test('takes allowed e-mails only with authentication', () => {
    const emails = { domain: 'app.test', allowedEmails: ['a@b.test', 'x'] };
    expect(told(domainInput, { ...emails, authentication: true })).toEqual([
      'allowedEmails.1: This field must be a valid email',
    ]);
    expect(told(domainInput, { domain: 'app.test', allowedEmails: ['a@b.test'] })).toEqual([
      'allowedEmails: "allowedEmails" must contain less than or equal to 0 items',
    ]);
    expect(told(domainInput, { domain: 'app.test', allowedEmails: [] })).toEqual([]);
  });

  test('may be published when its authentication is turned off', () => {
    expect(kept(domainPatch, { authentication: false, publish: true })).toEqual({
      authentication: false,
      publish: true,
    });
    expect(told(domainInput, { domain: 'app.test', publish: true })).toEqual(['publish: "publish" is not allowed']);
  });
});

describe('an HTTP service', () => {
  test('is reached by a domain, a path, or both', () => {
    expect(told(httpServiceInput, { name: 'app' })).toEqual([
      'domain: "value" must contain at least one of [domain, pathLocation]',
    ]);
    expect(told(httpServiceInput, { name: 'app', domain: '', pathLocation: '' })).toHaveLength(1);
    expect(told(httpServiceInput, { name: 'app', domain: 'app.test' })).toEqual([]);
    expect(told(httpServiceInput, { name: 'app', pathLocation: '/app' })).toEqual([]);
  });

  test.each(['/.sallyport', '/.sallyport/', '/.sallyport/check'])(
    "leaves the gateway's own path alone: %s",
    (pathLocation) => {
      const reserved = "pathLocation: Paths below /.sallyport are the gateway's own. Choose another path.";
      expect(told(httpServiceInput, { name: 'app', domain: 'app.example.com', pathLocation })).toEqual([reserved]);
      expect(told(httpServicePatch, { pathLocation })).toEqual([reserved]);
    },
  );

  test.each(['/.sallyportal', '/x/.sallyport', '/sallyport'])('may have a path that only looks like it: %s', (path) => {
    expect(told(httpServiceInput, { name: 'app', pathLocation: path })).toEqual([]);
  });

  test('refuses what it does not understand, field by field', () => {
    expect(
      told(httpServiceInput, {
        pathLocation: 'app',
        backendProto: 'ftp',
        backendPort: 0,
        allowedIps: ['192.0.2.0/33'],
        blockedIps: ['x'],
        requireAuth: 'yes',
        ttl: 'soon',
      }),
    ).toEqual([
      `name: ${REQUIRED}`,
      'allowedIps.0: "allowedIps[0]" must be a valid ip address with a optional CIDR',
      'blockedIps.0: "blockedIps[0]" must be a valid ip address with a optional CIDR',
      'pathLocation: Path Location must be an absolute URL path containing only letters, numbers, "/", ".", "_", "~", and "-"',
      'backendProto: This field must be one of [http, https]',
      'backendPort: "backendPort" must be a valid port',
      'requireAuth: This field must be a boolean',
      'ttl: TTL must be a string like "30s", "10m", "2h", "1d"',
    ]);
  });

  test.each(['/public', '^/api/(auth|cli)/.*', '/a\n\n^/b$'])('lets %j pass without sign-in', (skipAuthRoutes) => {
    expect(told(httpServiceInput, { name: 'app', pathLocation: '/', skipAuthRoutes })).toEqual([]);
  });

  test.each(['public', 'GET=/a', '/a {', '/a;', '/a\r', '^a b', "/'", '/a\u0000', '/a\nb'])(
    'keeps %j out of the routes without sign-in',
    (skipAuthRoutes) => {
      expect(told(httpServiceInput, { name: 'app', pathLocation: '/', skipAuthRoutes })).toEqual([
        'skipAuthRoutes: This field contains an invalid value',
      ]);
    },
  );

  test('is changed field by field, a cleared one to null', () => {
    expect(kept(httpServicePatch, { domain: '', ttl: null })).toEqual({ domain: null, ttl: null });
    expect(kept(httpServicePatch, { name: 'app' })).toEqual({ name: 'app' });
    expect(told(httpServicePatch, { nodeId: 2 })).toEqual(['nodeId: "nodeId" is not allowed']);
  });
});

describe('a TCP service', () => {
  test('needs a name and the port of its backend', () => {
    expect(told(tcpServiceInput, {})).toEqual([`name: ${REQUIRED}`, `backendPort: ${REQUIRED}`]);
    expect(told(tcpServiceInput, { name: 'mqtt', backendPort: 1883, port: null })).toEqual([]);
    expect(told(tcpServiceInput, { name: 'mqtt', backendPort: 1883, port: 70_000, proto: 'sctp' })).toEqual([
      'proto: This field must be one of [tcp, udp]',
      'port: "port" must be a valid port',
    ]);
  });

  test('is changed field by field', () => {
    expect(kept(tcpServicePatch, { port: 20_001 })).toEqual({ port: 20_001 });
  });
});

describe('an access token', () => {
  test('needs a name; its end is a date or nothing', () => {
    expect(told(tokenInput, {})).toEqual([`name: ${REQUIRED}`]);
    expect(kept(tokenInput, { name: 'ci', expireAt: '' })).toEqual({ name: 'ci', expireAt: null });
    expect(kept(tokenInput, { name: 'ci', expireAt: '2027-01-01' })).toEqual({
      name: 'ci',
      expireAt: '2027-01-01T00:00:00.000Z',
    });
    expect(told(tokenInput, { name: 'ci', expireAt: 'soon' })).toEqual(['expireAt: This field must be a valid date']);
    expect(told(tokenInput, { name: 'ci', revoked: true })).toEqual(['revoked: "revoked" is not allowed']);
  });
});

describe('a log stream', () => {
  test('is a domain, or a type and an id', () => {
    expect(told(logQuery, {})).toEqual([`domain: ${REQUIRED}`]);
    expect(told(logQuery, { type: 'http' })).toEqual([`id: ${REQUIRED}`]);
    expect(told(logQuery, { id: '7' })).toEqual([`type: ${REQUIRED}`]);
    expect(told(logQuery, { domain: '../../etc/passwd' })).toEqual([
      'domain: This field must contain a valid domain name',
    ]);
    expect(kept(logQuery, { type: 'tcp', id: '7' })).toEqual({ type: 'tcp', id: 7 });
  });
});

describe('the query of a list', () => {
  test('comes as text and is bounded', () => {
    expect(kept(contract.node.list.query, { page: '2', limit: '10', type: 'gateways', orderBy: 'name,desc' })).toEqual({
      page: 2,
      limit: 10,
      type: 'gateways',
      orderBy: 'name,desc',
    });
    expect(told(contract.node.list.query, { page: '0', limit: '1001', orderBy: 'token,asc', type: 'all' })).toEqual([
      'page: This field must be greater than or equal to 1',
      'limit: This field must be less than or equal to 1000',
      'orderBy: This field must be one of [id,asc, id,desc, name,asc, name,desc, address,asc, address,desc, isGateway,asc, isGateway,desc, status,asc, status,desc, latestHandshakeTimestamp,asc, latestHandshakeTimestamp,desc, transferRx,asc, transferRx,desc, transferTx,asc, transferTx,desc, created_at,asc, created_at,desc]',
      'type: This field must be one of [nodes, gateways]',
    ]);
  });
});
