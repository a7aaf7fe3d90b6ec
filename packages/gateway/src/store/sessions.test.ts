import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { domainDefaults } from '@sallyport/sdk/contract';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore, type Store } from './store.ts';

let directory: string;
let store: Store;
let now = new Date('2026-11-21T12:00:00.000Z');
const SOON = '2026-11-21T12:00:01.000Z';
const LATER = '2026-11-22T00:00:00.000Z';

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sallyport-store-'));
  now = new Date('2026-11-21T12:00:00.000Z');
  store = openStore(join(directory, 'sallyport.db'), () => now);
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

describe('the sessions of visitors', () => {
  const addDomain = async (domain: string): Promise<number> =>
    (await store.write((tx) => tx.domains.create({ ...domainDefaults, cameWithService: false, domain }))).value.id;

  /** Signs someone in; the hash of their token is their e-mail, backwards. */
  const signIn = (domainId: number, email: string, expiresAt = LATER): Promise<unknown> =>
    store.write((tx) =>
      tx.visitorSessions.create({ tokenHash: hashOf(email), domainId, email, subject: `id of ${email}`, expiresAt }),
    );
  const hashOf = (email: string): string => email.split('').toReversed().join('');
  const signedIn = async (...emails: string[]): Promise<string[]> => {
    const found = await Promise.all(emails.map((email) => store.visitorSessions.find(hashOf(email))));
    return found.flatMap((session) => (session === null ? [] : [session.email]));
  };

  it('finds who signed in by the hash of their token alone', async () => {
    const domainId = await addDomain('app.example.test');
    await signIn(domainId, 'ann@a.test');
    expect(await store.visitorSessions.find(hashOf('ann@a.test'))).toEqual({
      tokenHash: hashOf('ann@a.test'),
      domainId,
      email: 'ann@a.test',
      subject: 'id of ann@a.test',
      createdAt: now.toISOString(),
      expiresAt: LATER,
    });
    expect(await store.visitorSessions.find('ann@a.test')).toBeNull();
    expect(await store.visitorSessions.find('')).toBeNull();
  });

  it('signs out one visitor, or all of a domain but some, and no one of another', async () => {
    const [app, other] = [await addDomain('app.example.test'), await addDomain('other.example.test')];
    for (const email of ['ann@a.test', 'bob@a.test', 'cid@a.test', 'dan@a.test']) await signIn(app, email);
    await signIn(other, 'eve@a.test');
    const all = ['ann@a.test', 'bob@a.test', 'cid@a.test', 'dan@a.test', 'eve@a.test'];
    await store.write((tx) => tx.visitorSessions.remove(hashOf('ann@a.test')));
    expect(await signedIn(...all)).toEqual(all.slice(1));
    await store.write((tx) => tx.visitorSessions.removeOfDomain(app, ['bob@a.test', 'cid@a.test', 'eve@a.test']));
    expect(await signedIn(...all)).toEqual(['bob@a.test', 'cid@a.test', 'eve@a.test']);
    await store.write((tx) => tx.visitorSessions.removeOfDomain(app));
    expect(await signedIn(...all)).toEqual(['eve@a.test']);
  });

  it('takes a list of kept e-mails that is as long as the contract allows', async () => {
    const domainId = await addDomain('app.example.test');
    await signIn(domainId, 'ann@a.test');
    const kept = Array.from({ length: 10_000 }, (_, index) => `v${index}@a.test`);
    await store.write((tx) => tx.visitorSessions.removeOfDomain(domainId, [...kept, 'ann@a.test']));
    expect(await signedIn('ann@a.test')).toEqual(['ann@a.test']);
    await store.write((tx) => tx.visitorSessions.removeOfDomain(domainId, kept));
    expect(await signedIn('ann@a.test')).toEqual([]);
  });

  it('forgets sessions that ran out, and those of a domain that is gone', async () => {
    const [app, other] = [await addDomain('app.example.test'), await addDomain('other.example.test')];
    await signIn(app, 'ann@a.test', SOON);
    await signIn(app, 'bob@a.test');
    await signIn(other, 'eve@a.test');
    now = new Date(SOON);
    await store.write((tx) => tx.visitorSessions.removeExpired());
    expect(await signedIn('ann@a.test', 'bob@a.test', 'eve@a.test')).toEqual(['bob@a.test', 'eve@a.test']);
    await store.write((tx) => tx.domains.remove(app));
    expect(await signedIn('bob@a.test', 'eve@a.test')).toEqual(['eve@a.test']);
  });
});

describe('the sessions of the administrator', () => {
  const SESSION = { tokenHash: 'hash', keyThumbprint: null, expiresAt: '2999-01-01T00:00:00.000Z' };

  it('tells which tokens died', async () => {
    const dead: string[] = [];
    store.onSessionEnd((hash) => dead.push(hash));
    await store.write(async (tx) => {
      for (const tokenHash of ['a', 'b', 'c']) await tx.sessions.create({ tokenHash, expiresAt: now.toISOString() });
      await tx.sessions.end('a', 'signed-out');
    });
    expect(dead).toEqual(['a']);
    await store.write((tx) => tx.sessions.endAll('password-changed'));
    expect(dead.toSorted()).toEqual(['a', 'b', 'c']);
  });

  describe('that a full disk did not take', () => {
    const saved = (): unknown[] => {
      const database = new Sqlite(join(directory, 'sallyport.db'), { readonly: true });
      try {
        return database.prepare('select token_hash, ended from sessions').all();
      } finally {
        database.close();
      }
    };
    const write = () => store.write((tx) => tx.settings.set('httpPort', '80'));

    it('counts at once, and is saved with the next write that succeeds', async () => {
      store.unsavedSessions.create(SESSION);
      expect(await store.sessions.find('hash')).toMatchObject({ ...SESSION, ended: null });
      expect(saved()).toEqual([]);
      await write();
      await expect.poll(saved).toEqual([{ token_hash: 'hash', ended: null }]);
    });

    it('ends with a sign-out that is saved, and is not saved as one that goes on', async () => {
      store.unsavedSessions.create(SESSION);
      await store.write((tx) => tx.sessions.end('hash', 'signed-out'));
      expect(await store.sessions.find('hash')).toBeNull();
      await write();
      await write();
      expect(saved()).toEqual([]);
    });

    it('ends what was saved as well, tells who listens, and saves that', async () => {
      await store.write((tx) => tx.sessions.create(SESSION));
      const ended: string[] = [];
      store.onSessionEnd((hash) => ended.push(hash));
      await store.unsavedSessions.end('hash', 'signed-out');
      expect([ended, (await store.sessions.find('hash'))?.ended]).toEqual([['hash'], 'signed-out']);
      await write();
      await expect.poll(saved).toEqual([{ token_hash: 'hash', ended: 'signed-out' }]);
    });
  });
});
