import { join } from 'node:path';
import { domainDefaults, httpServiceDefaults } from '@sallyport/sdk/contract';
import { openStore } from '../../packages/gateway/src/store/store.ts';
import { signIn, startGateway } from './gateway.mjs';

const AT_ONCE = 16;

/** Where visitors find the service of that number (from 0) when it is one of many on so many domains. */
export const placeOf = (index, domains) => ({
  domain: `d${index % domains}.example.test`,
  pathLocation: `/s${Math.floor(index / domains)}`,
});

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
          backendHost: '127.0.0.1',
          backendPort,
          enabled: true,
          expiresAt: null,
          builtin: false,
        });
      }
    });
  } finally {
    await store.close();
  }
}

/** Makes that many nodes beside the local one, through the API of a gateway that does not run. */
export async function seedNodes(home, count) {
  const gateway = await startGateway(home);
  try {
    const { client } = await signIn(home);
    for (let made = 0; made < count; made += AT_ONCE) {
      const batch = Array.from({ length: Math.min(AT_ONCE, count - made) }, (_, index) => `node-${made + index}`);
      await Promise.all(batch.map((name) => client.node.create({ body: { name } })));
    }
  } finally {
    await gateway.stop();
  }
}
