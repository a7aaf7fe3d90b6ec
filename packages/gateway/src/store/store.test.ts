import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aNode, aService, fill } from '../testing/storedRows.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { domain as domainEntity, httpService, node, tcpService, token } from '@sallyport/sdk/contract';
import { migrations } from './migrations.ts';
import { openDatabase } from './open.ts';
import { openStore, type Store } from './store.ts';
import { DuplicateError } from './tables.ts';

let directory: string;
let file: string;
let store: Store | undefined;
const now = () => new Date('2026-11-21T12:00:00.000Z');

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sallyport-store-'));
  file = join(directory, 'sallyport.db');
});
afterEach(async () => {
  await store?.close();
  store = undefined;
  rmSync(directory, { recursive: true, force: true });
});

/** The store that the test has opened. */
const opened = (): Store => {
  if (store === undefined) throw new Error('no store');
  return store;
};

describe('the database file', () => {
  it('keeps its references, and is for its owner alone', () => {
    const database = openDatabase(file);
    const pragma = (name: string) => database.pragma(name, { simple: true });
    // The store itself waits for the disk, without stopping for it.
    expect(pragma('synchronous')).toBe(1);
    expect(pragma('journal_mode')).toBe('wal');
    expect(pragma('foreign_keys')).toBe(1);
    expect(pragma('busy_timeout')).toBe(5000);
    database.close();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('gives what was written to the next gateway, also when the first was never closed', async () => {
    const first = openStore(file, now);
    const { value } = await fill(first);
    store = openStore(file, now);
    expect(await store.nodes.get(value.owner.id)).toEqual(value.owner);
    expect(await store.httpServices.all()).toEqual([value.service]);
    await first.close();
  });

  it('is one file again once it was closed', async () => {
    store = openStore(file, now);
    await fill(store);
    await store.close();
    expect(() => statSync(`${file}-wal`)).toThrow('ENOENT');
  });

  it.each([
    ['is damaged', () => Buffer.concat([readFileSync(file).subarray(0, 5000), Buffer.alloc(60_000, 7)])],
    ['is not a database', () => Buffer.from('#!/bin/sh\necho hello\n')],
    ['is cut off', () => readFileSync(file).subarray(0, 9000)],
  ])('refuses a file that %s, in a sentence, and leaves it as it is', async (_, content) => {
    store = openStore(file, now);
    await fill(store);
    await store.close();
    writeFileSync(file, content());
    const before = readFileSync(file);
    expect(() => openDatabase(file)).toThrow(/left as it is: .*SALLYPORT_DATA/);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('keeps everything when a step is added, and nothing of a step that fails', async () => {
    store = openStore(file, now);
    const { value } = await fill(store);
    await store.close();
    const more = { name: 'notes', sql: "alter table http_services add column note text not null default '-';" };
    const broken = { name: 'broken', sql: 'create table extra (id integer); select 1 from nowhere;' };
    expect(() => openDatabase(file, { steps: [...migrations, more, broken] })).toThrow('no such table: nowhere');
    const untouched = openDatabase(file);
    expect(untouched.pragma('user_version', { simple: true })).toBe(migrations.length);
    untouched.close();

    const database = openDatabase(file, { steps: [...migrations, more] });
    expect(database.prepare('select id, note from http_services').all()).toEqual([{ id: value.service.id, note: '-' }]);
    expect(database.prepare('select count(*) from nodes').pluck().get()).toBe(1);
    database.close();
  });

  it('has a column for every field of the contract that is stored', () => {
    const database = openDatabase(':memory:');
    const computed =
      'publicAccess health healthReason problem pending certificateEndsAt status clientIp latestHandshakeTimestamp transferRx transferTx gatewayNetwork'.split(
        ' ',
      );
    const missing = Object.entries({
      nodes: node,
      domains: domainEntity,
      http_services: httpService,
      tcp_services: tcpService,
      node_tokens: token,
    })
      .flatMap(([table, entity]) => {
        const columns = database.prepare('select name from pragma_table_info(?)').pluck().all(table);
        return Object.keys(entity.shape)
          .map((key) => key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
          .filter((column) => !columns.includes(column))
          .map((column) => `${table}.${column}`);
      })
      .filter(
        (name) =>
          !computed.some((key) => name.endsWith(key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))),
      );
    database.close();
    // An HTTP service is always reached over TLS.
    expect(missing).toEqual(['http_services.ssl']);
  });
});

describe('a write', () => {
  beforeEach(() => {
    store = openStore(':memory:', now);
  });

  it('hands out rows with the types of the contract', async () => {
    const { value } = await fill(opened());
    expect(value.owner).toEqual({
      ...aNode,
      id: 1,
      version: 1,
      createdAt: '2026-11-21T12:00:00.000Z',
      updatedAt: '2026-11-21T12:00:00.000Z',
    });
    expect(value.domain.allowedEmails).toEqual(['a@example.test']);
  });

  it('counts the version up', async () => {
    await fill(opened());
    const { value } = await opened().write((tx) => tx.nodes.update(1, { name: 'other' }));
    expect(value).toMatchObject({ name: 'other', version: 2 });
  });

  it('is undone as a whole when its work fails, and tells nobody', async () => {
    const told: unknown[] = [];
    opened().onChange((changes) => told.push(changes));
    const work = opened().write(async (tx) => {
      await tx.nodes.create(aNode);
      throw new Error('changed my mind');
    });
    await expect(work).rejects.toThrow('changed my mind');
    expect(await opened().nodes.all()).toEqual([]);
    expect(told).toEqual([]);
  });

  it('refuses a second row with the same domain and path, also without a domain', async () => {
    await fill(opened());
    const again = (change: object) =>
      opened().write((tx) => tx.httpServices.create({ ...aService, nodeId: 1, ...change }));
    await expect(again({})).rejects.toThrow(new DuplicateError(['domain', 'pathLocation']));
    await again({ domain: null });
    await expect(again({ domain: null })).rejects.toThrow(DuplicateError);
    await again({ domain: null, builtin: true });
    const another = (change: object) =>
      opened().write((tx) => tx.nodes.create({ ...aNode, publicKey: 'other', ...change }));
    await expect(another({ name: 'other' })).rejects.toThrow(new DuplicateError(['address']));
    const address = '10.88.0.3';
    await expect(another({ name: 'EDGE', address })).rejects.toThrow(new DuplicateError(['name']));
  });

  it('takes a node with everything that it has, and notes each of them', async () => {
    await fill(opened());
    const { changes } = await opened().write((tx) => tx.nodes.remove(1));
    expect(changes.map(({ kind, id, after }) => [kind, id, after])).toEqual([
      ['httpService', 1, null],
      ['node', 1, null],
    ]);
    expect(await opened().tokens.all()).toEqual([]);
    expect(await opened().domains.all()).toHaveLength(1);
  });

  it('never gives an id twice', async () => {
    await fill(opened());
    await opened().write((tx) => tx.nodes.remove(1));
    const { value } = await opened().write((tx) => tx.nodes.create(aNode));
    expect(value.id).toBe(2);
  });

  it('does not run into another one', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `n${index}`);
    await Promise.all(
      names.map((name, index) =>
        opened().write(async (tx) => {
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
    const counts = (await opened().nodes.all()).map(({ name }) => Number(name.split('-')[1]));
    expect(counts).toEqual(names.map((_, index) => index));
  });
});

describe('a list', () => {
  beforeEach(async () => {
    store = openStore(':memory:', now);
    await store.write(async (tx) => {
      for (const [index, name] of ['b', 'a', 'ab', '100%', 'x_y'].entries()) {
        await tx.nodes.create({
          ...aNode,
          name,
          address: `10.88.0.${index + 2}`,
          publicKey: name + index,
          isLocal: index === 4,
        });
      }
    });
  });
  const names = async (options: object) =>
    (await store?.nodes.list(options))?.data.map(({ name, id }) => `${name}${id}`);

  it('comes in pages that never overlap, the local node first', async () => {
    expect(await names({ orderBy: 'name,asc' })).toEqual(['x_y5', '100%4', 'a2', 'ab3', 'b1']);
    expect(await names({ orderBy: 'name,asc', limit: 2, page: 2 })).toEqual(['a2', 'ab3']);
    expect(await names({ orderBy: 'created_at,desc' })).toEqual(['x_y5', 'b1', 'a2', 'ab3', '100%4']);
    expect(await names({ orderBy: 'created_at,desc', limit: 2, page: 2 })).toEqual(['a2', 'ab3']);
    expect(await store?.nodes.list({ limit: 2, page: 9 })).toEqual({ data: [], page: 9, limit: 2, total: 5 });
    expect(await store?.nodes.list()).toMatchObject({ page: 1, limit: 5, total: 5 });
  });

  it('is in the order of its letters, whatever their case', async () => {
    await store?.write(async (tx) => {
      for (const [index, name] of ['Bee', 'Able', 'Zoo'].entries()) {
        await tx.nodes.create({ ...aNode, name, address: `10.88.1.${index}`, publicKey: `other${index}` });
      }
    });
    expect(await names({ orderBy: 'name,asc' })).toEqual(['x_y5', '100%4', 'a2', 'ab3', 'Able7', 'b1', 'Bee6', 'Zoo8']);
    expect(await names({ orderBy: 'name,desc' })).toEqual([
      'x_y5',
      'Zoo8',
      'Bee6',
      'b1',
      'Able7',
      'ab3',
      'a2',
      '100%4',
    ]);
  });

  it('finds words as they are written', async () => {
    expect(await names({ search: '%' })).toEqual(['100%4']);
    expect(await names({ search: '_' })).toEqual(['x_y5']);
    expect(await names({ search: 'A' })).toEqual(['a2', 'ab3']);
    expect(await names({ search: '10.88.0.2' })).toEqual(['b1']);
    expect(await names({ search: '\\' })).toEqual([]);
  });

  it('knows nothing of an order by other columns', async () => {
    expect(await names({ orderBy: 'sealedPrivateKey,asc' })).toEqual(await names({}));
  });
});

describe('sessions', () => {
  it('tells which tokens died', async () => {
    store = openStore(':memory:', now);
    const dead: string[] = [];
    store.onSessionEnd((hash) => dead.push(hash));
    await store.write(async (tx) => {
      for (const tokenHash of ['a', 'b', 'c']) await tx.sessions.create({ tokenHash, expiresAt: now().toISOString() });
      await tx.sessions.end('a', 'signed-out');
    });
    expect(dead).toEqual(['a']);
    await store.write((tx) => tx.sessions.endAll('password-changed'));
    expect(dead.toSorted()).toEqual(['a', 'b', 'c']);
  });
});
