import { afterEach, beforeEach, expect, it } from 'vitest';
import { startExpiry } from './expiry.ts';
import { createTestGateway, type TestGateway } from '../testing.ts';
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
    write: async (work) => (await gateway.store.write(work)).value,
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

it('closes a service also when its end cannot be written down', async () => {
  const errors: unknown[] = [];
  let served = 0;
  const expiry = startExpiry({
    store: gateway.store,
    write: () => Promise.reject(new Error('the disk is full')),
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
