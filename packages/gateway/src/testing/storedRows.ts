import { httpServiceDefaults } from '@sallyport/sdk/contract';
import type { Store } from '../store/store.ts';
import { createNodeKeys, createPresharedKey } from '../vault/keyVault.ts';
import { testVault } from './testNodes.ts';

const { publicKey, privateKey } = createNodeKeys();

/** A node as it is written. */
export const aNode = {
  name: 'edge',
  address: '10.88.0.2',
  dns: null,
  keepalive: 10,
  allowInternet: true,
  isGateway: false,
  gatewayNetworks: [{ interface: 'eth0', subnet: '192.0.2.0/24' }],
  allowAnyDomain: false,
  allowedNetworks: null,
  advanced: false,
  isLocal: false,
  enabled: true,
  publicKey,
  sealedPrivateKey: testVault.seal(privateKey),
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
