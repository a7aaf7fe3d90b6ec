import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aDomain, aNode, aService, fill } from '../testing/storedRows.ts';
import { openStore, type Store } from './store.ts';
import { DuplicateError } from './tables.ts';

let store: Store;
beforeEach(() => {
  store = openStore(':memory:', () => new Date('2026-11-21T12:00:00.000Z'));
});
afterEach(() => store.close());

describe('a write', () => {
  it('hands out rows with the types of the contract', async () => {
    const { value } = await fill(store);
    expect(value.owner).toEqual({
      ...aNode,
      id: 1,
      version: 1,
      createdAt: '2026-11-21T12:00:00.000Z',
      updatedAt: '2026-11-21T12:00:00.000Z',
    });
    expect(value.domain.allowedEmails).toEqual(['a@example.test']);
  });

  it('is undone as a whole when its work fails, and tells nobody', async () => {
    const told: unknown[] = [];
    store.onChange((changes) => told.push(changes));
    const work = store.write(async (tx) => {
      await tx.nodes.create(aNode);
      throw new Error('changed my mind');
    });
    await expect(work).rejects.toThrow('changed my mind');
    expect(await store.nodes.all()).toEqual([]);
    expect(told).toEqual([]);
  });

  it('refuses a second row with the same domain and path, also without a domain', async () => {
    await fill(store);
    const again = (change: object) =>
      store.write((tx) => tx.httpServices.create({ ...aService, nodeId: 1, ...change }));
    await expect(again({})).rejects.toThrow(new DuplicateError(['domain', 'pathLocation']));
    await again({ domain: null });
    await expect(again({ domain: null })).rejects.toThrow(DuplicateError);
    await again({ domain: null, builtin: true });
    const another = (change: object) =>
      store.write((tx) => tx.nodes.create({ ...aNode, publicKey: 'other', ...change }));
    await expect(another({ name: 'other' })).rejects.toThrow(new DuplicateError(['address']));
    const address = '10.88.0.3';
    await expect(another({ name: 'EDGE', address })).rejects.toThrow(new DuplicateError(['name']));
  });

  it('takes a node with everything that it has, and notes each of them', async () => {
    await fill(store);
    const { changes } = await store.write((tx) => tx.nodes.remove(1));
    expect(changes.map(({ kind, id, after }) => [kind, id, after])).toEqual([
      ['httpService', 1, null],
      ['node', 1, null],
    ]);
    expect(await store.tokens.all()).toEqual([]);
    expect(await store.domains.all()).toHaveLength(1);
  });

  it('never gives an id twice', async () => {
    await fill(store);
    await store.write((tx) => tx.nodes.remove(1));
    const { value } = await store.write((tx) => tx.nodes.create(aNode));
    expect(value.id).toBe(2);
  });

  it('does not run into another one', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `n${index}`);
    await Promise.all(
      names.map((name, index) =>
        store.write(async (tx) => {
          const { length } = await tx.nodes.all();
          await tx.nodes.create({
            ...aNode,
            name: `${name}-${length}`,
            address: `10.88.0.${index + 2}`,
            publicKey: name,
          });
        }),
      ),
    );
    const counts = (await store.nodes.all()).map(({ name }) => Number(name.split('-')[1]));
    expect(counts).toEqual(names.map((_, index) => index));
  });
});

it('a list has the local node first, and then names by their letters, whatever their case', async () => {
  await store.write(async (tx) => {
    for (const [index, name] of ['b', 'Able', 'a', 'Zoo', 'local'].entries()) {
      const rest = { address: `10.88.0.${index + 2}`, publicKey: name, isLocal: name === 'local' };
      await tx.nodes.create({ ...aNode, name, ...rest });
    }
  });
  const names = async (options: object) => (await store.nodes.list(options)).data.map(({ name }) => name);
  expect(await names({ orderBy: 'name,asc' })).toEqual(['local', 'a', 'Able', 'b', 'Zoo']);
  expect(await names({ orderBy: 'name,desc' })).toEqual(['local', 'Zoo', 'b', 'Able', 'a']);
  expect(await names({ orderBy: 'created_at,desc', limit: 2, page: 2 })).toEqual(['Able', 'a']);
  expect(await names({ orderBy: 'sealedPrivateKey,asc' })).toEqual(['local', 'b', 'Able', 'a', 'Zoo']);
});

describe('restore', () => {
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
