import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aDomain, fill } from '../testing/storedRows.ts';
import { openStore, type Store } from './store.ts';

let store: Store;
describe('restore', () => {
  beforeEach(() => {
    store = openStore(':memory:', () => new Date('2026-11-21T12:00:00.000Z'));
  });
  afterEach(() => store.close());
  const everything = async (of: Store) => ({ ...(await of.desired()), tokens: await of.tokens.all() });

  it.each([
    [
      'a creation',
      async (of: Store) => of.write((tx) => tx.domains.create({ ...aDomain, domain: 'b.test', allowedEmails: null })),
    ],
    ['a change', async (of: Store) => of.write((tx) => tx.nodes.update(1, { name: 'other', gatewayNetworks: null }))],
    [
      'two changes of one row',
      async (of: Store) =>
        of.write(async (tx) => {
          await tx.nodes.update(1, { name: 'second' });
          await tx.nodes.update(1, { name: 'third' });
        }),
    ],
    ['the removal of a domain', async (of: Store) => of.write((tx) => tx.domains.remove(1))],
    ['the removal of a node', async (of: Store) => of.write((tx) => tx.nodes.remove(1))],
    [
      'a change that was removed again',
      async (of: Store) =>
        of.write(async (tx) => {
          const { id } = await tx.domains.create({ ...aDomain, domain: 'b.test', allowedEmails: null });
          await tx.domains.remove(id);
        }),
    ],
  ])('takes back %s, to the last column', async (_, write) => {
    await fill(store);
    const before = await everything(store);
    const { changes } = await write(store);
    await store.restore(changes);
    expect(await everything(store)).toEqual(before);
  });

  it('leaves a row alone that somebody changed since', async () => {
    await fill(store);
    const { changes } = await store.write((tx) => tx.nodes.update(1, { name: 'refused' }));
    await store.write((tx) => tx.nodes.update(1, { name: 'later' }));
    await store.restore(changes);
    expect(await store.nodes.get(1)).toMatchObject({ name: 'later', version: 3 });
  });

  it('takes the idempotency key of the change along, in the same transaction', async () => {
    await fill(store);
    const key = { caller: 'admin', keyHash: 'one', call: 'node.update', requestHash: '', tokenHash: '', outcome: {} };
    const { changes } = await store.write(async (tx) => {
      await tx.nodes.update(1, { name: 'refused' });
      await tx.idempotencyKeys.keep(key);
    });
    expect(await store.idempotencyKeys.find('admin', 'one')).not.toBeNull();
    await store.restore(changes);
    expect(await store.idempotencyKeys.find('admin', 'one')).toBeNull();
  });
});
