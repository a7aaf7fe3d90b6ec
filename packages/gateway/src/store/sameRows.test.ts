import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { readCodec } from './codec.ts';
import { createSameRows } from './sameRows.ts';

function seeded() {
  const database = new Sqlite(':memory:');
  database.exec('create table things (id integer primary key, first_name text, is_on boolean, list json_text)');
  const insert = database.prepare('insert into things values (?, ?, ?, ?)');
  for (const id of [1, 2, 3]) insert.run(id, `thing ${id}`, 1, '["a"]');
  const read = createSameRows(database, readCodec(database));
  return { database, insert, read: () => read('things') };
}

it('reads rows as they are stored', () => {
  expect(seeded().read()).toEqual([1, 2, 3].map((id) => ({ id, firstName: `thing ${id}`, isOn: true, list: ['a'] })));
});

it('gives the same object for a row that has not changed, and another one for a row that has', () => {
  const { database, read } = seeded();
  const before = read();
  database.exec("update things set list = '[]' where id = 2");
  const after = read();
  expect(after[1]).toEqual({ id: 2, firstName: 'thing 2', isOn: true, list: [] });
  expect(after.map((row, index) => row === before[index])).toEqual([true, false, true]);
});

it('keeps them apart when rows go and come, in front, between and behind', () => {
  const { database, insert, read } = seeded();
  const [, , third] = read();
  database.exec('delete from things where id < 3');
  expect(read()[0]).toBe(third);
  insert.run(1, 'again', 0, null);
  insert.run(7, 'last', 0, 'damaged');
  const rows = read();
  expect(rows.map((row) => 'firstName' in row && row.firstName)).toEqual(['again', 'thing 3', 'last']);
  expect(rows[1]).toBe(third);
  expect(rows[2]).toMatchObject({ list: 'damaged' });
});
