import { join } from 'node:path';
import { domainDefaults, httpServiceDefaults, nodeDefaults } from '@sallyport/sdk/contract';
import { openStore } from '../../packages/gateway/src/store/store.ts';
import { createKeyVault, createNodeKeys, createPresharedKey } from '../../packages/gateway/src/vault/keyVault.ts';
import { startGateway } from './gateway.mjs';

/** Where visitors find the service of that number (from 0) when it is one of many on so many domains. */
export const placeOf = (index, domains) => ({
  domain: `d${index % domains}.example.test`,
  pathLocation: `/s${Math.floor(index / domains)}`,
});

/** The host of that service's backend: each has one of its own, as it is where somebody runs thousands. */
export const backendHostOf = (index) => `127.1.${Math.floor(index / 250)}.${(index % 250) + 1}`;

/**
 * Fills the database of a gateway that does not run. Through the store, because through the API it takes minutes; the
 * first start makes the data directory and the local node.
 */
export async function seedServices(home, { services, domains, backendPort }) {
  await (await startGateway(home)).stop();
  const store = openStore(join(home.data, 'sallyport.db'), () => new Date());
  try {
    await store.write(async (tx) => {
      const [local] = await tx.nodes.all({ isLocal: true });
      for (let index = 0; index < domains; index += 1) {
        await tx.domains.create({ ...domainDefaults, domain: placeOf(index, domains).domain, skipValidation: true });
      }
      for (let index = 0; index < services; index += 1) {
        await tx.httpServices.create({
          ...httpServiceDefaults,
          ...placeOf(index, domains),
          nodeId: local?.id ?? 0,
          name: `service ${index}`,
          backendHost: backendHostOf(index),
          backendPort,
          enabled: true,
          expiresAt: null,
          closedAt: null,
          closedBy: null,
          builtin: false,
        });
      }
    });
  } finally {
    await store.close();
  }
}

/** Makes that many nodes next to the local one, through the store of a gateway that does not run. */
export async function seedNodes(home, count) {
  await (await startGateway(home)).stop();
  const vault = await createKeyVault(join(home.data, 'secrets', 'vault.key'));
  const store = openStore(join(home.data, 'sallyport.db'), () => new Date());
  try {
    await store.write(async (tx) => {
      for (let index = 0; index < count; index += 1) {
        const { publicKey, privateKey } = createNodeKeys();
        await tx.nodes.create({
          ...nodeDefaults,
          name: `node-${index}`,
          address: addressOf(index),
          publicKey,
          sealedPrivateKey: vault.seal(privateKey),
          sealedPresharedKey: vault.seal(createPresharedKey()),
          isLocal: false,
          enabled: true,
        });
      }
    });
  } finally {
    await store.close();
  }
}

/** In 10.88.0.0/16, where the first is the gateway's. */
const addressOf = (index) => `10.88.${(index + 2) >> 8}.${(index + 2) & 255}`;
