import { join } from 'node:path';
import { domainDefaults, httpServiceDefaults, nodeDefaults } from '@sallyport/sdk/contract';
import { signedIn, startGateway } from '../../e2e/support/gateway.ts';
import { visit } from '../../e2e/support/visit.ts';
import { openStore } from '../../packages/gateway/src/store/store.ts';
import { createKeyVault, createNodeKeys, createPresharedKey } from '../../packages/gateway/src/vault/keyVault.ts';
import { startFastBackend } from './nginx.mjs';

/** @typedef {import('../../e2e/support/gateway.ts').GatewayProcess} GatewayProcess */

/**
 * Does a measurement with a gateway, as it is released, that has so many nodes and services, and ends it.
 * @template T
 * @param {{ nodes?: number, services?: number, domains?: number, env?: Record<string, string> }} size
 * @param {(trial: { gateway: GatewayProcess, client: import('@sallyport/sdk').Client, token: string,
 *   backend: Awaited<ReturnType<typeof startFastBackend>>, opened: { stop(): unknown }[] }) => Promise<T>} work
 *   what it puts into `opened` is ended before the gateway, the last first
 */
export async function withGateway({ nodes = 0, services = 0, domains = 1, env = {} }, work) {
  /** @type {{ stop(): unknown }[]} */
  const opened = [];
  try {
    // All of loopback: each service has a backend of its own there.
    const backend = await startFastBackend({ address: '0.0.0.0' });
    opened.push(backend);
    const gateway = await startGateway({ env });
    opened.push({ stop: gateway.close });
    if (nodes + services > 0) await seed(gateway, { nodes, services, domains, backendPort: backend.port });
    return await work({ gateway, ...(await signedIn(gateway)), backend, opened });
  } finally {
    for (const one of opened.toReversed()) await one.stop();
  }
}

/** Where visitors find the service of that number (from 0) when it is one of many on so many domains. */
export const placeOf = (index, domains) => ({
  domain: `d${index % domains}.example.test`,
  pathLocation: `/s${Math.floor(index / domains)}`,
});

/** The host of that service's backend: each has one of its own, as it is where someone runs thousands. */
export const backendHostOf = (index) => `127.1.${Math.floor(index / 250)}.${(index % 250) + 1}`;

/** What a visitor gets of that service, on a connection of its own. */
export const visitService = ({ ports }, index, domains) => {
  const { domain, pathLocation } = placeOf(index, domains);
  return visit(ports.https, `https://${domain}${pathLocation}`);
};

/**
 * Fills a gateway's database through the store, because through the API it takes minutes.
 * @param {GatewayProcess} gateway
 */
export async function seed(gateway, { nodes, services, domains, backendPort }) {
  // SIGINT would take the tunnel's interface away, which may be a made-up one.
  await gateway.end('SIGTERM');
  const vault = await createKeyVault(join(gateway.data, 'secrets', 'vault.key'));
  const store = openStore(join(gateway.data, 'sallyport.db'), () => new Date());
  try {
    await store.write(async (tx) => {
      const [local] = await tx.nodes.all({ isLocal: true });
      for (let index = 0; index < (services === 0 ? 0 : domains); index += 1) {
        await tx.domains.create({
          ...domainDefaults,
          cameWithService: false,
          domain: placeOf(index, domains).domain,
          skipValidation: true,
        });
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
      for (let index = 0; index < nodes; index += 1) {
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
  await gateway.start();
}

/** In 10.88.0.0/16, where the first is the gateway's. */
const addressOf = (index) => `10.88.${(index + 2) >> 8}.${(index + 2) & 255}`;
