import { nodeDefaults } from '@sallyport/sdk/contract';
import type { TunnelSettings } from '../tunnel/plan.ts';
import type { NodeRow } from '../store/rows.ts';
import { createMemoryVault, createNodeKeys, createPresharedKey } from '../vault/keyVault.ts';

/** Opens the keys of `testNode` and of `testTunnelSettings`. */
export const testVault = createMemoryVault();

/** The row of a remote node that is enabled; the one with the number 2 has the address 10.88.0.2. */
export function testNode(id: number, rest: Partial<NodeRow> = {}): NodeRow {
  const { publicKey, privateKey } = createNodeKeys();
  const at = new Date(0).toISOString();
  return {
    ...nodeDefaults,
    id,
    name: `node ${id}`,
    address: `10.88.0.${id}`,
    isLocal: false,
    enabled: true,
    publicKey,
    sealedPrivateKey: testVault.seal(privateKey),
    sealedPresharedKey: testVault.seal(createPresharedKey()),
    version: 1,
    createdAt: at,
    updatedAt: at,
    ...rest,
  };
}

const own = createNodeKeys();

/** What the administrator of a gateway in a test decided. */
export const testTunnelSettings: TunnelSettings = {
  interface: 'test0',
  network: '10.88.0.0/16',
  gateway: '10.88.0.1',
  port: 51_820,
  publicPorts: [80, 443],
  publicKey: own.publicKey,
  sealedPrivateKey: testVault.seal(own.privateKey),
};
