import { expect, it } from 'vitest';
import { createSameRows } from './sameRows.ts';

const rows = () => [1, 2, 3].map((id) => ({ id, name: `thing ${id}`, list: ['a'] as string[] | null }));

it('gives the same object for a row that has not changed, and another one for a row that has', () => {
  const same = createSameRows<ReturnType<typeof rows>[number]>();
  const before = same(rows());
  const after = same(rows().toSpliced(1, 1, { id: 2, name: 'thing 2', list: [] }));
  expect(after[1]?.list).toEqual([]);
  expect(after.map((row, index) => row === before[index])).toEqual([true, false, true]);
  expect(same([{ id: 2, name: 'thing 2', list: null }])[0]?.list).toBeNull();
});

it('keeps them apart when rows go and come', () => {
  const same = createSameRows<ReturnType<typeof rows>[number]>();
  same(rows());
  const [third] = same(rows().slice(2));
  expect(same([...rows(), { id: 7, name: 'last', list: null }])[2]).toBe(third);
});
