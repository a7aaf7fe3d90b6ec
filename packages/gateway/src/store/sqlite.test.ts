import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { domainDefaults } from '@sallyport/sdk/contract';
import { createReadCache } from './sqlite.ts';
import { openStore, type Store } from './store.ts';

let directory: string;
let store: Store;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sallyport-cache-'));
  store = openStore(join(directory, 'sallyport.db'), () => new Date('2026-11-21T12:00:00.000Z'));
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

const create = (domain: string) =>
  store.write((tx) => tx.domains.create({ ...domainDefaults, cameWithService: false, domain }));
const names = async (): Promise<string[]> => (await store.domains.list({ limit: 10 })).data.map(({ domain }) => domain);

it('a row with a damaged list does not keep the others from being read', async () => {
  for (const domain of ['one.example.test', 'two.example.test']) {
    await store.write((tx) =>
      tx.domains.create({ ...domainDefaults, cameWithService: false, domain, allowedEmails: ['a@b.test'] }),
    );
  }
  const byHand = new Sqlite(join(directory, 'sallyport.db'));
  byHand.prepare('update domains set allowed_emails = ? where domain = ?').run('["a@b.test"', 'one.example.test');
  byHand.close();
  // Not null: for some lists that would mean everybody.
  expect((await store.desired()).domains.map((row) => row.allowedEmails)).toEqual(['["a@b.test"', ['a@b.test']]);
});

// What a list answered is remembered, and nothing shows it.
describe('a list that was read before', () => {
  it('shows each write at once', async () => {
    const { value } = await create('one.example.test');
    expect(await names()).toEqual(['one.example.test']);
    await create('two.example.test');
    expect(await names()).toEqual(['one.example.test', 'two.example.test']);
    await store.write((tx) => tx.domains.remove(value.id));
    expect(await names()).toEqual(['two.example.test']);
  });

  it('shows a transaction its own writes, and no one those that were taken back', async () => {
    await create('one.example.test');
    expect(await names()).toHaveLength(1);
    const failed = store.write(async (tx) => {
      await tx.domains.create({ ...domainDefaults, cameWithService: false, domain: 'two.example.test' });
      expect((await tx.domains.list({ limit: 10 })).total).toBe(2);
      throw new Error('changed my mind');
    });
    const meanwhile = names();
    await expect(failed).rejects.toThrow('changed my mind');
    expect(await meanwhile).toHaveLength(1);
    expect(await names()).toHaveLength(1);
  });

  it('shows what another process writes', async () => {
    await create('one.example.test');
    expect(await names()).toEqual(['one.example.test']);
    const other = new Sqlite(join(directory, 'sallyport.db'));
    other.exec("update domains set domain = 'other.example.test'");
    other.close();
    await vi.waitFor(async () => expect(await names()).toEqual(['other.example.test']));
  });

  it('lets no reader change what the next one is given', async () => {
    await store.write((tx) =>
      tx.domains.create({
        ...domainDefaults,
        cameWithService: false,
        domain: 'one.example.test',
        allowedEmails: ['a@example.test'],
      }),
    );
    const [row] = (await store.domains.list({ limit: 10 })).data;
    expect(() => row?.allowedEmails?.push('b@example.test')).toThrow(TypeError);
  });

  it('keeps no answer that takes much room', async () => {
    const database = new Sqlite(':memory:');
    const cache = createReadCache(database);
    const times = async (answer: unknown) => {
      let asked = 0;
      const query = async () => {
        asked += 1;
        return answer;
      };
      for (let time = 0; time < 3; time += 1) await cache.read(JSON.stringify(answer).slice(-20), query);
      return asked;
    };
    expect(await times({ data: Array.from({ length: 50 }, (_, id) => ({ id, notes: 'x'.repeat(100) })) })).toBe(1);
    expect(await times({ data: [{ notes: '漢'.repeat(80_000) }] })).toBe(3);
    expect(await times({ data: Array.from({ length: 20_000 }, String) })).toBe(3);
    database.close();
  });

  it('does not keep what was read before a write that ended first', async () => {
    const database = new Sqlite(':memory:');
    const cache = createReadCache(database);
    const old = await cache.read('names', async () => {
      cache.forget();
      return ['old.example.test'];
    });
    expect(old).toEqual(['old.example.test']);
    const read = (name: string) => cache.read('names', async () => [name]);
    expect(await read('new.example.test')).toEqual(['new.example.test']);
    expect(await read('newer.example.test')).toEqual(['new.example.test']);
    cache.forget();
    expect(await read('newer.example.test')).toEqual(['newer.example.test']);
    database.close();
  });
});
