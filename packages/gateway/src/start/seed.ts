import { httpServiceDefaults, nodeDefaults } from '@sallyport/sdk/contract';
import type { Store } from '../store/store.ts';

/** Where the gateway itself listens; the console's built-in service leads there. */
export type SeedOptions = { listen: { host: string; port: number } };

/** Makes the local node and its console service, and lets the service follow the gateway's own address. */
export async function seed(store: Store, { listen }: SeedOptions): Promise<void> {
  await store.write(async (tx) => {
    const [known] = await tx.nodes.all({ isLocal: true });
    const local =
      known ??
      (await tx.nodes.create({
        ...nodeDefaults,
        name: 'Local',
        address: '127.0.0.1',
        isLocal: true,
        enabled: true,
        publicKey: null,
        sealedPrivateKey: null,
        sealedPresharedKey: null,
      }));
    const backend = { backendHost: listen.host, backendPort: listen.port };
    const [builtin] = await tx.httpServices.all({ builtin: true });
    if (builtin === undefined) {
      await tx.httpServices.create({
        ...httpServiceDefaults,
        ...backend,
        nodeId: local.id,
        name: 'Sallyport console',
        enabled: true,
        expiresAt: null,
        builtin: true,
      });
    } else if (builtin.backendHost !== backend.backendHost || builtin.backendPort !== backend.backendPort) {
      await tx.httpServices.update(builtin.id, backend);
    }
  });
}
