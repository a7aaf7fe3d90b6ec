import { awaitedHash } from '../api/authenticate.ts';
import { closedByCaller, OPEN } from '../rules/closing.ts';
import { seed, type SeedOptions } from '../start/seed.ts';
import type { Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';
import type { KeyVault } from '../vault/keyVault.ts';
import type { WiredoorPlan } from './wiredoorPlan.ts';

/** Writes a plan into the database of a new gateway. */
export async function writeWiredoor(
  store: Store,
  vault: Pick<KeyVault, 'seal'>,
  plan: WiredoorPlan,
  listen: SeedOptions['listen'],
): Promise<void> {
  await seed(store, { listen });
  const [local] = await store.nodes.all({ isLocal: true });
  if (local === undefined) throw new Error('the local node is missing');
  await store.write(async (tx) => {
    const nodeIds = await writeNodes(tx, vault, plan);
    // Whatever is no node that was taken over is the machine itself.
    const idOf = (there: number): number => nodeIds.get(there) ?? local.id;
    await writeServices(tx, plan, idOf, local.id);
    await writeServer(tx, vault, plan);
  });
}

/** @returns the numbers of the nodes by those that they had */
async function writeNodes(
  tx: Transaction,
  vault: Pick<KeyVault, 'seal'>,
  { nodes }: WiredoorPlan,
): Promise<Map<number, number>> {
  const ids = new Map<number, number>();
  for (const { id: there, form, keys, isEnabled, tokens } of nodes) {
    const { id } = await tx.nodes.create({
      ...form,
      publicKey: keys.publicKey,
      sealedPrivateKey: vault.seal(keys.privateKey),
      sealedPresharedKey: vault.seal(keys.presharedKey),
      isLocal: false,
      enabled: isEnabled,
    });
    ids.set(there, id);
    for (const { id: tokenId, name, expireAt } of tokens) {
      const tokenHash = awaitedHash(tokenId);
      await tx.tokens.create({ nodeId: id, name, expireAt, tokenHash, revoked: false, lastUsedAt: null });
    }
  }
  return ids;
}

async function writeServices(
  tx: Transaction,
  { domains, services }: WiredoorPlan,
  idOf: (there: number) => number,
  localId: number,
): Promise<void> {
  for (const { form } of domains) {
    const { domain } = form;
    const users = services.filter((service) => service.form.domain === domain).map(({ nodeId }) => idOf(nodeId));
    // Their tokens could use every domain; those that they use stay open to them.
    const allowed = [...new Set(users)].filter((id) => id !== localId);
    await tx.domains.create({ ...form, allowedNodes: allowed.length > 0 ? allowed : null, cameWithService: false });
    if (allowed.length > 0) await tx.formerNames.add({ name: domain, usedBy: 'node' });
  }
  for (const service of services) {
    const { closed, expiresAt } = service;
    const state = closed === null ? OPEN : closedByCaller(null, new Date());
    const row = { nodeId: idOf(service.nodeId), enabled: closed === null, expiresAt, ...state };
    if (service.kind === 'http') await tx.httpServices.create({ ...service.form, ...row, builtin: false });
    else await tx.tcpServices.create({ ...service.form, ...row, port: service.port });
  }
}

async function writeServer(
  tx: Transaction,
  vault: Pick<KeyVault, 'seal'>,
  { origin, server, tokenKey, console }: WiredoorPlan,
): Promise<void> {
  await tx.settings.set('serverPublicKey', server.publicKey);
  await tx.settings.set('serverSealedPrivateKey', vault.seal(server.privateKey));
  if (origin !== null) await tx.settings.set('wiredoorOrigin', origin);
  if (tokenKey !== null) await tx.settings.set('wiredoorTokenKey', vault.seal(tokenKey));
  const { domain, allowedIps, blockedIps } = console;
  // Hosts send their tokens there: no node may ever have it.
  if (domain !== null) await tx.formerNames.add({ name: domain, usedBy: 'console' });
  for (const { id } of await tx.httpServices.all({ builtin: true })) {
    await tx.httpServices.update(id, { allowedIps, blockedIps });
  }
}
