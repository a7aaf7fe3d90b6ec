import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { startExpiry } from './expiry.ts';
import { openStore } from '../store/store.ts';
import { createTestGateway, type TestGateway } from '../testing.ts';
import { fill } from '../testing/storedRows.ts';
import { testApi } from '../testing/testApi.ts';

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await createTestGateway();
});
afterEach(() => gateway.stop());

it('sets no alarm for a time that cannot be read', async () => {
  const { appId } = await gateway.seed();
  await gateway.store.write((tx) => tx.httpServices.update(appId, { expiresAt: 'some day' }));
  const alarms: Date[] = [];
  const expiry = startExpiry({
    store: gateway.store,
    serve: () => Promise.resolve(),
    clock: {
      now: gateway.clock.now,
      wake(at) {
        alarms.push(at);
        return () => undefined;
      },
    },
    failed: (error) => gateway.errors.push(error),
  });
  await expiry.ready;
  expiry.stop();
  expect(alarms).toEqual([]);
  expect(gateway.errors).toEqual([]);
});

it('is not kept busy by a time that cannot be read, and ends the others at theirs', async () => {
  const { appId } = await gateway.seed();
  const api = testApi(gateway, await gateway.signIn());
  await gateway.store.write((tx) => tx.httpServices.update(appId, { expiresAt: 'some day' }));
  const body = { name: 'Short', pathLocation: '/short', backendHost: '127.0.0.1', ttl: '10s' };
  const { body: short } = await api('POST /api/services/1/http', body);
  const before = (await gateway.store.httpServices.get(appId))?.version;
  gateway.clock.advance(10_000);
  await expect.poll(async () => (await gateway.store.httpServices.get(Number(short['id'])))?.enabled).toBe(false);
  expect(await gateway.store.httpServices.get(appId)).toMatchObject({ version: before, enabled: true });
  expect(gateway.errors).toEqual([]);
  // Enabling it is the way out.
  expect((await api(`PATCH /api/services/1/http/${appId}/enable`)).body).toMatchObject({
    expiresAt: null,
    enabled: true,
  });
});

describe('one that cannot be closed keeps no other open', () => {
  /** Two services whose time is over, one of which was damaged by hand. */
  async function afterDamage(sql: string) {
    const directory = await mkdtemp(join(tmpdir(), 'sallyport-expiry-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    await gateway.stop();
    const database = join(directory, 'gateway.db');
    gateway = await createTestGateway({ database });
    const { appId, wikiId } = await gateway.seed();
    const expiresAt = new Date(gateway.clock.now().getTime() + 10_000).toISOString();
    await gateway.store.write((tx) => tx.httpServices.update(appId, { expiresAt }));
    await gateway.store.write((tx) => tx.httpServices.update(wikiId, { expiresAt }));
    const repair = (statement: string): void => {
      const file = new Database(database);
      file.pragma('foreign_keys = off');
      file.exec(statement);
      file.close();
    };
    repair(sql);
    gateway.clock.advance(10_000);
    return { appId, wikiId, repair };
  }
  const isEnabled = async (id: number) => (await gateway.store.httpServices.get(id))?.enabled;

  it('because its row cannot be written', async () => {
    const { appId, wikiId, repair } = await afterDamage(
      "create trigger held before update on http_services when old.name = 'App' begin select raise(abort, 'held'); end",
    );
    await expect.poll(() => isEnabled(wikiId)).toBe(false);
    await expect.poll(() => gateway.errors.length).toBe(1);
    expect(String(gateway.errors)).toContain('held');
    repair('drop trigger held');
    gateway.clock.advance(5000);
    await expect.poll(() => isEnabled(appId)).toBe(false);
  });

  it('because its number is larger than those that a program can read', async () => {
    const { wikiId } = await afterDamage("update http_services set id = 9007199254740993 where name = 'App'");
    await expect.poll(() => isEnabled(wikiId)).toBe(false);
  });

  it('because it could not be served, if it were open', async () => {
    const { appId, wikiId } = await afterDamage(
      "update http_services set path_location = 'no path' where name = 'App'",
    );
    await expect.poll(() => isEnabled(wikiId)).toBe(false);
    // It is served after the closings, or with them.
    const api = testApi(gateway, await gateway.signIn());
    expect((await api('POST /api/domains', { domain: 'other.example.test', skipValidation: true })).status).toBe(200);
    expect(await isEnabled(wikiId)).toBe(false);
    expect(await isEnabled(appId)).toBe(false);
    expect(gateway.errors).toEqual([]);
  });
});

it('closes a service also when its end cannot be written down', async () => {
  const store = openStore(':memory:', gateway.clock.now);
  onTestFinished(() => store.close());
  await fill(store);
  await store.write((tx) => tx.httpServices.update(1, { expiresAt: gateway.clock.now().toISOString() }));
  const errors: unknown[] = [];
  let served = 0;
  const expiry = startExpiry({
    store: { ...store, write: () => Promise.reject(new Error('the disk is full')) },
    serve: () => Promise.resolve((served += 1)),
    clock: gateway.clock,
    failed: (error) => errors.push(error),
  });
  await expiry.ready;
  expect([served, errors.length]).toEqual([1, 1]);
  gateway.clock.advance(5000);
  await expect.poll(() => served).toBe(2);
  expiry.stop();
});

it('leaves a service open that is given more time at the very moment of its end', async () => {
  const store = openStore(':memory:', gateway.clock.now);
  onTestFinished(() => store.close());
  await fill(store);
  await store.write((tx) => tx.httpServices.update(1, { expiresAt: gateway.clock.now().toISOString() }));
  const expiresAt = new Date(gateway.clock.now().getTime() + 60_000).toISOString();
  const expiry = startExpiry({
    store: {
      ...store,
      async write(work) {
        await store.write((tx) => tx.httpServices.update(1, { expiresAt }));
        return store.write(work);
      },
    },
    serve: () => Promise.resolve(),
    clock: gateway.clock,
    failed: (error) => gateway.errors.push(error),
  });
  await expiry.ready;
  expiry.stop();
  expect(await store.httpServices.get(1)).toMatchObject({ enabled: true, expiresAt });
  expect(gateway.errors).toEqual([]);
});
