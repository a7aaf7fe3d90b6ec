import { expect, it } from 'vitest';
import { openStore } from '../store/store.ts';
import { seed } from './seed.ts';

const LISTEN = { listen: { host: '127.0.0.1', port: 3000 } };

it('makes the local node once, and keeps what was noted about it from start to start', async () => {
  const store = openStore(':memory:', () => new Date());
  await seed(store, LISTEN);
  await store.write((tx) => tx.nodes.update(1, { name: 'Attic', tags: ['home'], notes: 'Below the roof.' }));
  const before = await store.nodes.all();
  expect(before).toMatchObject([{ name: 'Attic', tags: ['home'], notes: 'Below the roof.', isLocal: true }]);
  // Its version too: a start on a full disk has nothing to write.
  await seed(store, LISTEN);
  expect(await store.nodes.all()).toEqual(before);
  await store.close();
});

it('repairs what of the local node nobody can edit', async () => {
  const store = openStore(':memory:', () => new Date());
  await seed(store, LISTEN);
  await store.write((tx) => tx.nodes.update(1, { address: '10.9.9.9', tags: ['home'] }));
  await seed(store, LISTEN);
  expect(await store.nodes.all()).toMatchObject([{ address: '127.0.0.1', tags: ['home'] }]);
  await store.close();
});
