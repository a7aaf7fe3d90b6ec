import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestGateway } from '../testing.ts';
import { testApi } from '../testing/testApi.ts';
import { createHstsPromises, type HstsPromises } from './hstsPromises.ts';
import { openStore, type Store } from '../store/store.ts';

const DAY_MS = 86_400_000;
const DAY = 86_400;
const wanted = { id: 3, hsts: true };

let now: number;
let store: Store;
let promises: HstsPromises;

const open = async (): Promise<HstsPromises> => {
  const made = createHstsPromises({ store, now: () => new Date(now), log: { warn: () => undefined } });
  await made.load();
  return made;
};
beforeEach(async () => {
  now = Date.UTC(2026, 0, 1);
  store = openStore(':memory:', () => new Date(now));
  promises = await open();
});
afterEach(() => store.close());

it('promises no longer than it went well already, and a day at least', async () => {
  const promised: [number, number | null][] = [];
  for (const days of [0, 1, 6, 7, 29, 30, 364, 365, 800]) {
    now = Date.UTC(2026, 0, 1) + days * DAY_MS;
    promised.push([days, (promises.secondsOf(wanted, true) ?? 0) / DAY]);
    // Also after a restart.
    await promises.keep([wanted]);
    promises = await open();
  }
  expect(promised).toEqual([
    [0, 1],
    [1, 1],
    [6, 1],
    [7, 7],
    [29, 7],
    [30, 30],
    [364, 30],
    [365, 365],
    [800, 365],
  ]);
});

it('says nothing without a trusted certificate, and goes on where it was with the next one', () => {
  expect(promises.secondsOf(wanted, false)).toBeNull();
  expect(promises.secondsOf(wanted, true)).toBe(DAY);
  now += 8 * DAY_MS;
  expect(promises.secondsOf(wanted, false)).toBeNull();
  expect(promises.secondsOf(wanted, true)).toBe(7 * DAY);
});

it('takes back what was promised when it is turned off, and begins with a day again', async () => {
  const off = { ...wanted, hsts: false };
  // What never promised anything has nothing to take back.
  expect(promises.secondsOf(off, true)).toBeNull();
  promises.secondsOf(wanted, true);
  now += 40 * DAY_MS;
  expect(promises.secondsOf(off, true)).toBe(0);
  await promises.keep([off]);
  promises = await open();
  expect(promises.secondsOf(off, true)).toBe(0);
  expect(promises.secondsOf(wanted, true)).toBe(DAY);
});

it('knows when it will say the next thing, and forgets domains that are gone', async () => {
  expect(promises.nextAt()).toBe(Number.POSITIVE_INFINITY);
  promises.secondsOf(wanted, true);
  expect(promises.nextAt()).toBe(now + DAY_MS);
  now += 10 * DAY_MS;
  expect(promises.nextAt()).toBe(now + 20 * DAY_MS);
  await promises.keep([]);
  expect(promises.nextAt()).toBe(Number.POSITIVE_INFINITY);
});

it.each(['', '{}', '[[3]]', '[["3","x"],null,[3,5]]', '[[3,"some day"]]'])(
  'begins again where what it kept is damaged: %j',
  async (text) => {
    await store.write((tx) => tx.settings.set('hstsPromises', text));
    promises = await open();
    expect(promises.secondsOf(wanted, true)).toBe(DAY);
  },
);

it('does not promise more because a clock was set back', () => {
  now += 500 * DAY_MS;
  promises.secondsOf(wanted, true);
  now -= 500 * DAY_MS;
  expect(promises.secondsOf(wanted, true)).toBe(DAY);
  now += 500 * DAY_MS;
  expect(promises.secondsOf({ ...wanted, id: 4 }, true)).toBe(DAY);
});

it('promises nothing by a clock that was not set yet', () => {
  const set = now;
  now = 0;
  expect(promises.secondsOf(wanted, true)).toBeNull();
  now = set;
  expect(promises.secondsOf(wanted, true)).toBe(DAY);
});

it('promises nothing once the certificate has ended', async () => {
  const gateway = await createTestGateway();
  const add = async (body: object) => testApi(gateway, await gateway.signIn())('POST /api/domains', body);
  const isPromised = (): boolean =>
    gateway.system.ingress
      .served()
      ?.files.some(({ text }) => text.includes('add_header Strict-Transport-Security $hsts_')) === true;
  gateway.world.setCertificateIssuer({ available: true });
  const domain = 'strict.example.test';
  await add({ domain, ssl: 'certbot' });
  expect(isPromised()).toBe(true);
  gateway.system.issuer.refuse(domain, { kind: 'unreachable', detail: '' });
  gateway.clock.advance(91 * DAY * 1000);
  await add({ domain: 'another.example.test', skipValidation: true });
  expect(isPromised()).toBe(false);
  await gateway.stop();
});
