import { domainDefaults } from '@sallyport/sdk/contract';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openStore, type Store } from './store.ts';

let store: Store;

beforeEach(async () => {
  store = openStore(':memory:', () => new Date('2026-11-21T12:00:00.000Z'));
  await store.write((tx) =>
    tx.domains.create({ ...domainDefaults, cameWithService: false, domain: 'a.example.test', tags: TAGS }),
  );
});
afterEach(async () => {
  vi.restoreAllMocks();
  await store.close();
});

const TAGS = Array.from({ length: 20 }, (_, index) => `Tag ${index}`);

/** How many texts were made ready to be compared while the domains with these tags were read, but the wanted ones. */
async function compared(tag: readonly string[]): Promise<number> {
  const normalize = vi.spyOn(String.prototype, 'normalize');
  const { total } = await store.domains.list({ tag });
  expect(total).toBe(1);
  return normalize.mock.calls.length - tag.length;
}

describe('the tags of a row', () => {
  it('are read once, whatever the number of filters', async () => {
    expect(await compared(TAGS.slice(0, 1))).toBe(TAGS.length);
    vi.restoreAllMocks();
    expect(await compared(TAGS.slice(0, 10))).toBe(TAGS.length);
  });
});
