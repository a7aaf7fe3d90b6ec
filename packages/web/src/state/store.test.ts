import { expect, it } from 'vitest';
import { remembered } from './store.ts';

it('takes over what another tab chooses, and what it chooses of something else alone', () => {
  const fruit = remembered('fruit', ['apple', 'plum'], 'apple');
  const choose = (key: string, newValue: string) =>
    globalThis.dispatchEvent(new StorageEvent('storage', { key, newValue }));
  choose('fruit', 'plum');
  expect(fruit.get()).toBe('plum');
  choose('colour', 'red');
  expect(fruit.get()).toBe('plum');
  choose('fruit', 'no fruit');
  expect(fruit.get()).toBe('apple');
});
