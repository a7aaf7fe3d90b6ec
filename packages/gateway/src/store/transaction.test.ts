import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { aDomain, aNode, aService, fill } from '../testing/storedRows.ts';
import { tcpServiceDefaults } from '@sallyport/sdk/contract';
import { openStore, type Store } from './store.ts';
import { DuplicateError } from './tables.ts';
import type { Transaction } from './transaction.ts';

const aPort = {
  ...tcpServiceDefaults,
  name: 'port',
  domain: aDomain.domain,
  port: 20_000,
  enabled: true,
  expiresAt: null,
  closedAt: null,
  closedBy: null,
};

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

  it('is undone as a whole when its work fails, and tells no one', async () => {
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

  it('goes on when a part of it fails: that alone is undone, and no one is told of it', async () => {
    const told: unknown[] = [];
    store.onChange((changes) => told.push(changes.map(({ kind, part }) => [kind, part?.value])));
    await store.write(async (tx) => {
      const { value: node } = await tx.part(() => tx.nodes.create({ ...aNode, isLocal: false }));
      const failing = tx.part(async () => {
        await tx.domains.create({ ...aDomain, allowedEmails: null });
        await tx.nodes.remove(node.id);
        throw new Error('changed my mind');
      });
      await expect(failing).rejects.toThrow('changed my mind');
      await tx.domains.create({ ...aDomain, allowedEmails: null, domain: 'other.example.test' });
    });
    expect(await store.nodes.all()).toHaveLength(1);
    expect((await store.domains.all()).map(({ domain }) => domain)).toEqual(['other.example.test']);
    expect(told).toEqual([
      [
        ['node', expect.objectContaining({ id: 1 })],
        ['domain', undefined],
      ],
    ]);
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

  it('takes a node from the lists of domains, which its deletion does not depend on', async () => {
    await fill(store);
    await store.write((tx) => tx.domains.update(1, { allowedNodes: [1, 2] }));
    const { changes } = await store.write((tx) => tx.nodes.remove(1));
    expect(changes.map(({ kind }) => kind)).toEqual(['httpService', 'node']);
    expect(await store.domains.get(1)).toMatchObject({ allowedNodes: [2], version: 3 });
  });

  it('removes a node though a domain that lists it has a number that cannot be read as it is', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'sallyport-transaction-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const path = join(directory, 'database.sqlite');
    const stored = openStore(path, () => new Date());
    onTestFinished(() => stored.close());
    await fill(stored);
    const file = new Database(path);
    file.prepare("update domains set id = 9007199254740993, allowed_nodes = '[1]'").run();
    file.close();
    await stored.write((tx) => tx.nodes.remove(1));
    expect(await stored.nodes.all()).toEqual([]);
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
    [
      'that the last service left a domain, which went',
      async (of: Store) =>
        of.write(async (tx) => {
          await tx.httpServices.update(1, { domain: null });
          await tx.domains.remove(1);
        }),
    ],
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

  it('leaves a row alone that someone changed since', async () => {
    await fill(store);
    const { changes } = await store.write((tx) => tx.nodes.update(1, { name: 'refused' }));
    await store.write((tx) => tx.nodes.update(1, { name: 'later' }));
    await store.restore(changes);
    expect(await store.nodes.get(1)).toMatchObject({ name: 'later', version: 3 });
  });

  describe('puts a service back onto the domain that it left', () => {
    const other = { ...aNode, name: 'other', address: '10.88.0.3', publicKey: 'other' };
    const free = { ...aDomain, allowedEmails: null, reserved: false };
    const PATH = '/app';
    /** A service of `edge` that left its domain by the change that is taken back after `meanwhile`. */
    async function restored(
      meanwhile: (tx: Transaction) => Promise<unknown>,
      domain = free,
      before: (tx: Transaction) => Promise<unknown> = () => Promise.resolve(),
    ) {
      await store.write(async (tx) => {
        for (const node of [aNode, other]) await tx.nodes.create(node);
        await tx.domains.create(domain);
        await tx.httpServices.create({ ...aService, nodeId: 1, pathLocation: PATH });
        await tx.tcpServices.create({ ...aPort, nodeId: 1 });
        await before(tx);
      });
      const { changes } = await store.write(async (tx) => {
        await tx.httpServices.update(1, { domain: null, pathLocation: '/left' });
        await tx.tcpServices.update(1, { domain: null, port: 20_007 });
      });
      await store.write(meanwhile);
      const isBack = await store.restore(changes);
      const [service, port] = [await store.httpServices.get(1), await store.tcpServices.get(1)];
      return { isBack, http: service?.domain, tcp: port?.domain };
    }
    const atHome = { isBack: true, http: aDomain.domain, tcp: aDomain.domain };
    const away = { isBack: false, http: null, tcp: null };

    it('when nothing else happened there', async () => {
      expect(await restored(() => Promise.resolve())).toEqual(atHome);
    });

    it('next to those who share it with its node', async () => {
      const place = { ...aService, nodeId: 2, pathLocation: '/other' };
      const shared = { ...free, reserved: true };
      expect(await restored((tx) => tx.httpServices.create(place), shared)).toEqual(atHome);
    });

    it('next to those who were there before', async () => {
      const before = async (tx: Transaction) => {
        await tx.httpServices.create({ ...aService, nodeId: 2, pathLocation: '/other' });
      };
      expect(await restored(() => Promise.resolve(), free, before)).toEqual(atHome);
    });

    it.each<[string, (tx: Transaction) => Promise<unknown>]>([
      ['is gone', (tx) => tx.domains.remove(1)],
      [
        'was made again',
        async (tx) => {
          await tx.domains.remove(1);
          await tx.domains.create(free);
        },
      ],
      ['is the administrator’s by now', (tx) => tx.domains.update(1, { reserved: true })],
      ['has a service of another node', (tx) => tx.httpServices.create({ ...aService, nodeId: 2, pathLocation: '/x' })],
      ['has a port of another node', (tx) => tx.tcpServices.create({ ...aPort, nodeId: 2 })],
    ])('not when it %s', async (_, meanwhile) => {
      expect(await restored(meanwhile)).toEqual(away);
    });

    it.each<[string, (tx: Transaction) => Promise<unknown>]>([
      [
        'the path in other letters and with a last slash',
        (tx) => tx.httpServices.create({ ...aService, nodeId: 2, pathLocation: `${PATH.toUpperCase()}/` }),
      ],
      ['a path below it', (tx) => tx.httpServices.create({ ...aService, nodeId: 2, pathLocation: `${PATH}/x` })],
      ['the console', (tx) => tx.httpServices.create({ ...aService, nodeId: 2, pathLocation: '/x', builtin: true })],
    ])('not where others took %s meanwhile, though its node may be there', async (_, meanwhile) => {
      const back = await restored(meanwhile, { ...free, reserved: true });
      expect([back.isBack, back.http]).toEqual([false, null]);
    });

    it('not to a port where the console is by now', async () => {
      const place = { ...aService, nodeId: 2, pathLocation: '/x', builtin: true };
      const back = await restored((tx) => tx.httpServices.create(place), { ...free, reserved: true });
      expect(back.tcp).toBeNull();
    });

    it('and from another path of the same domain, unless others came in between', async () => {
      await fill(store);
      const below = { ...aService, nodeId: 1, pathLocation: `${PATH}/x` };
      const own = { ...below, pathLocation: `${PATH}/own` };
      await store.write(async (tx) => {
        await tx.httpServices.update(1, { pathLocation: PATH });
        await tx.httpServices.create(below);
      });
      const move = () => store.write((tx) => tx.httpServices.update(1, { pathLocation: '/moved' }));
      expect(await store.restore((await move()).changes)).toBe(true);
      const again = await move();
      await store.write((tx) => tx.httpServices.create(own));
      expect(await store.restore(again.changes)).toBe(true);
      const { changes } = await move();
      await store.write((tx) => tx.httpServices.create({ ...below, pathLocation: `${PATH}/` }));
      expect(await store.restore(changes)).toBe(false);
      expect(await store.httpServices.get(1)).toMatchObject({ pathLocation: '/moved' });
    });

    it('not to a path or a port that is taken', async () => {
      const taken = await restored(async (tx) => {
        await tx.httpServices.create({ ...aService, nodeId: 1, pathLocation: PATH });
        await tx.tcpServices.create({ ...aPort, nodeId: 1 });
      });
      expect(taken).toEqual(away);
    });
  });

  it('puts back what can be, and says that something could not', async () => {
    await fill(store);
    const { changes } = await store.write(async (tx) => {
      await tx.domains.update(1, { hsts: true });
      await tx.httpServices.remove(1);
    });
    await store.write((tx) => tx.nodes.remove(1));
    expect(await store.restore(changes)).toBe(false);
    expect(await store.domains.get(1)).toMatchObject({ hsts: false, version: 1 });
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
