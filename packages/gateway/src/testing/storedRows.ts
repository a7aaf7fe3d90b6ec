import { httpServiceDefaults, nodeDefaults, tcpServiceDefaults } from '@sallyport/sdk/contract';
import type { Store } from '../store/store.ts';
import { createMemoryVault, createNodeKeys, createPresharedKey } from '../vault/keyVault.ts';
import type { TunnelSettings } from '../tunnel/plan.ts';
import type { HttpServiceRow, NodeRow, TcpServiceRow } from '../store/rows.ts';

/** Opens the keys of `testNode` and of `testTunnelSettings`. */
export const testVault = createMemoryVault();

const own = createNodeKeys();

/** A node as it is written. */
export const aNode = {
  name: 'edge',
  address: '10.88.0.2',
  dns: null,
  keepalive: 10,
  allowInternet: true,
  isGateway: false,
  gatewayNetworks: [{ interface: 'eth0', subnet: '192.0.2.0/24' }],
  resolver: null,
  allowAnyDomain: false,
  allowedNetworks: null,
  tags: [],
  notes: null,
  advanced: false,
  isLocal: false,
  enabled: true,
  publicKey: own.publicKey,
  sealedPrivateKey: testVault.seal(own.privateKey),
  sealedPresharedKey: testVault.seal(createPresharedKey()),
};
export const aDomain = {
  domain: 'app.example.test',
  ssl: 'self-signed',
  skipValidation: true,
  authentication: false,
  allowedEmails: ['a@example.test'],
  hsts: false,
  reserved: true,
  allowedNodes: null,
  tags: [] as string[],
  notes: null,
  cameWithService: false,
} as const;
export const aService = {
  ...httpServiceDefaults,
  name: 'App',
  domain: 'app.example.test',
  enabled: true,
  expiresAt: null,
  closedAt: null,
  closedBy: null,
  builtin: false,
} as const;

/** A node with a token, a domain, and a service of both. */
export async function fill(into: Store) {
  return into.write(async (tx) => {
    const owner = await tx.nodes.create(aNode);
    await tx.tokens.create({
      nodeId: owner.id,
      name: 'default',
      tokenHash: 'hash',
      expireAt: null,
      revoked: false,
      lastUsedAt: null,
    });
    const domain = await tx.domains.create({ ...aDomain, allowedEmails: [...aDomain.allowedEmails] });
    const service = await tx.httpServices.create({ ...aService, nodeId: owner.id });
    return { owner, domain, service };
  });
}

const AT = new Date(0).toISOString();
const stored = { version: 1, createdAt: AT, updatedAt: AT };
const open = { nodeId: 1, name: 'service', enabled: true, expiresAt: null, closedAt: null, closedBy: null };

/** The row of an HTTP service of the local node that is open. */
export const testHttpService = (id: number, rest: Partial<HttpServiceRow> = {}): HttpServiceRow => ({
  ...httpServiceDefaults,
  ...stored,
  ...open,
  id,
  builtin: false,
  ...rest,
});

/** The row of a TCP service of the local node that is open, on a port of its own. */
export const testTcpService = (id: number, rest: Partial<TcpServiceRow> = {}): TcpServiceRow => ({
  ...tcpServiceDefaults,
  ...stored,
  ...open,
  id,
  port: 20_000 + id,
  ...rest,
});

/** The row of a remote node that is enabled; the one with the number 2 has the address 10.88.0.2. */
export function testNode(id: number, rest: Partial<NodeRow> = {}): NodeRow {
  const { publicKey, privateKey } = createNodeKeys();
  return {
    ...nodeDefaults,
    ...stored,
    id,
    name: `node ${id}`,
    address: `10.88.0.${id}`,
    isLocal: false,
    enabled: true,
    publicKey,
    sealedPrivateKey: testVault.seal(privateKey),
    sealedPresharedKey: testVault.seal(createPresharedKey()),
    ...rest,
  };
}

/** What the administrator of a gateway in a test decided. */
export const testTunnelSettings: TunnelSettings = {
  interface: 'test0',
  network: '10.88.0.0/16',
  gateway: '10.88.0.1',
  port: 51_820,
  publicPorts: [80, 443],
  visitedPort: null,
  publicKey: own.publicKey,
  sealedPrivateKey: testVault.seal(own.privateKey),
};
