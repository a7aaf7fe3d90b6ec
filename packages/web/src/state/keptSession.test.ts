import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createOwnKey, createSessionKeeper, type KeptSession } from './keptSession.ts';

/** The browser's database, as far as the keeper asks it: each answer comes a moment later. */
function createDatabase() {
  const rows = new Map<string, unknown>();
  const later = (result?: unknown) => {
    const request = { result, onsuccess: (): void => undefined, oncomplete: (): void => undefined };
    queueMicrotask(() => request.onsuccess());
    return request;
  };
  const objectStore = () => ({
    transaction: later(),
    get: (key: string) => later(rows.get(key)),
    put: (value: unknown, key: string) => void rows.set(key, value),
    delete: (key: string) => void rows.delete(key),
  });
  return { open: () => later({ transaction: () => ({ objectStore }) }) };
}

const session = async (token: string): Promise<KeptSession> => ({ token, key: await createOwnKey(), endsAt: 0 });

beforeEach(() => void vi.stubGlobal('indexedDB', createDatabase()));
afterEach(() => void vi.unstubAllGlobals());

it('keeps the last session, and forgets it by its own token alone', async () => {
  const keeper = createSessionKeeper();
  await keeper.write(await session('old'));
  await keeper.write(await session('new'));
  await keeper.remove('old');
  expect((await keeper.read())?.token).toBe('new');
  await keeper.remove('new');
  expect(await keeper.read()).toBeNull();
});

it('never keeps a token that works without a key', async () => {
  const keeper = createSessionKeeper();
  await keeper.write({ token: 'bare', key: null, endsAt: 0 });
  expect(await keeper.read()).toBeNull();
});
