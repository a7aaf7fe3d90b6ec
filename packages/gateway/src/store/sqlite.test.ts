import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { domainAttributes, withDefaults } from '@sallyport/sdk/contract';
import { openStore } from './store.ts';

const now = () => new Date('2026-11-21T12:00:00.000Z');

it('a row with a damaged list does not keep the others from being read', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-codec-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'sallyport.db');
  const before = openStore(file, now);
  for (const domain of ['one.example.test', 'two.example.test']) {
    await before.write((tx) =>
      tx.domains.create(withDefaults(domainAttributes, { domain, allowedEmails: ['a@b.test'] })),
    );
  }
  await before.close();
  const byHand = new Sqlite(file);
  byHand.prepare('update domains set allowed_emails = ? where domain = ?').run('["a@b.test"', 'one.example.test');
  byHand.close();

  const store = openStore(file, now);
  onTestFinished(() => store.close());
  // Not null: for some lists that would mean everybody.
  expect((await store.desired()).domains.map((row) => row.allowedEmails)).toEqual(['["a@b.test"', ['a@b.test']]);
});
