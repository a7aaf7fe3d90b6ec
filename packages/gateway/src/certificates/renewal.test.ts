import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createIssuedCertificates, type IssuedCertificates } from './renewal.ts';
import { createFakeCertificateIssuer, type FakeCertificateIssuer } from '../testing/fakeCertificateIssuer.ts';
import { createTestClock, type TestClock } from '../testing/testClock.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const A = 'a.example.test';
const B = 'b.example.test';

let clock: TestClock;
let issuer: FakeCertificateIssuer;
let issued: IssuedCertificates;
let news: number;

const open = (): IssuedCertificates => {
  const log = { info: () => undefined, warn: () => undefined };
  const opened = createIssuedCertificates({ issuer, clock, httpPort: 80, log, random: () => 0.5 });
  opened.onNews(() => {
    news += 1;
    return Promise.resolve();
  });
  return opened;
};
const row = (domain: string, version = 1, ssl: 'certbot' | 'self-signed' = 'certbot') => ({
  id: domain === A ? 1 : 2,
  domain,
  ssl,
  version,
});
/** Follows, and waits for all that is wanted to be answered. */
const follow = async (...rows: ReturnType<typeof row>[]): Promise<void> => {
  await issued.follow(rows);
  await Promise.all(rows.map(({ id }) => issued.tried(id)));
};
/** Moves the clock, and waits for what that sets off. */
const pass = async (ms: number): Promise<void> => {
  clock.advance(ms);
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};
const problemOf = async (domain: string): Promise<string | null> => issued.problem(domain, await issued.get(domain));
const pendingOf = async (domain: string): Promise<string | null> => issued.pending(domain, await issued.get(domain));

beforeEach(() => {
  clock = createTestClock(new Date('2026-11-21T12:00:00.000Z'));
  issuer = createFakeCertificateIssuer(clock.now);
  news = 0;
  issued = open();
});
afterEach(() => issued.stop());

describe('a domain that wants a certificate', () => {
  it('is not asked for while the clock is not set, and then within a minute', async () => {
    await issued.stop();
    clock = createTestClock(new Date(0));
    issuer = createFakeCertificateIssuer(clock.now);
    issued = open();
    await follow(row(A));
    expect(await problemOf(A)).toMatch(/^The clock of this machine is wrong\. Set it: timedatectl set-ntp true\. /);
    expect(await issued.get(A)).toBeNull();
    await pass(new Date('2026-11-21T12:00:00.000Z').getTime());
    await issued.tried(1);
    expect(await problemOf(A)).toBeNull();
    expect(await issued.get(A)).not.toBeNull();
  });

  it('has one, and says that it is on its way until then', async () => {
    issuer.hold(true);
    await issued.follow([row(A), row(B, 1, 'self-signed')]);
    expect(await problemOf(A)).toBeNull();
    expect(await pendingOf(A)).toMatch(/^Its certificate is being obtained from authority\.test;.*self-signed one\.$/);
    issuer.hold(false);
    await issued.tried(1);
    expect([await problemOf(A), await pendingOf(A)]).toEqual([null, null]);
    expect(await issued.get(A)).toMatchObject({ authority: issuer.authority });
    expect(issuer.asked(B)).toBe(0);
    expect(news).toBe(1);
  });

  it('does not ask again for what is there, also after a start', async () => {
    await follow(row(A));
    await follow(row(A), row(B));
    await follow(row(A, 2), row(B));
    await issued.stop();
    issued = open();
    await follow(row(A, 2), row(B));
    expect([issuer.asked(A), issuer.asked(B)]).toEqual([1, 1]);
  });

  it('is asked for one at a time', async () => {
    issuer.hold(true);
    await issued.follow([row(A), row(B)]);
    await pass(0);
    expect([issuer.asked(A), issuer.asked(B)]).toEqual([1, 0]);
    issuer.hold(false);
    await Promise.all([issued.tried(1), issued.tried(2)]);
    expect(issuer.kept()).toEqual([A, B]);
  });

  it('lets no one wait longer than ten seconds', async () => {
    issuer.hold(true);
    await issued.follow([row(A)]);
    const tried = issued.tried(1);
    clock.advance(10_000);
    await tried;
    expect(await pendingOf(A)).toMatch(/being obtained/);
  });
});

describe('a certificate that cannot be had', () => {
  beforeEach(() => issuer.refuse(A, { kind: 'dns', detail: 'NXDOMAIN.' }));

  it('says why and what to do, and holds up no one else', async () => {
    await follow(row(A), row(B));
    expect(await problemOf(A)).toBe(
      'authority.test finds no address for a.example.test (NXDOMAIN). Have its DNS record lead to this gateway. The domain has no certificate of its own yet, so visitors get a self-signed one. It is tried again by itself, and at once when the domain is saved.',
    );
    expect([await pendingOf(A), await problemOf(B)]).toEqual([null, null]);
  });

  it('is tried again, but not more than four times in an hour', async () => {
    await follow(row(A));
    for (let minute = 1; minute <= 60; minute += 1) await pass(MINUTE_MS);
    expect(issuer.asked(A)).toBe(4);
    issuer.refuse(A, null);
    await pass(2 * HOUR_MS);
    expect(await problemOf(A)).toBeNull();
  });

  it('is tried at once when the domain is saved, not when another is', async () => {
    await follow(row(A));
    await follow(row(A), row(B));
    expect(issuer.asked(A)).toBe(1);
    issuer.refuse(A, null);
    await follow(row(A, 2), row(B));
    expect(await problemOf(A)).toBeNull();
  });

  it('waits for hours when the authority is asked too often', async () => {
    issuer.refuse(A, { kind: 'limit', detail: '' });
    await follow(row(A));
    await pass(2 * HOUR_MS);
    expect(issuer.asked(A)).toBe(1);
    await pass(HOUR_MS);
    expect(issuer.asked(A)).toBe(2);
  });

  it('says what to install, and has it within a minute afterwards', async () => {
    issuer.setAvailability({ available: false, reason: 'certbot is not installed.' });
    await follow(row(B));
    expect(await problemOf(B)).toMatch(/certbot is not installed\./);
    issuer.setAvailability({ available: true });
    await pass(MINUTE_MS);
    expect(await problemOf(B)).toBeNull();
  });
});

describe('renewal', () => {
  it('comes thirty days before the end, and not before', async () => {
    await follow(row(A));
    await pass(59 * DAY_MS);
    expect(issuer.asked(A)).toBe(1);
    await pass(DAY_MS + 13 * HOUR_MS);
    expect(issuer.asked(A)).toBe(2);
    expect(await problemOf(A)).toBeNull();
    await pass(20 * DAY_MS);
    expect(issuer.asked(A)).toBe(2);
  });

  it('that fails keeps the old one, says when it ends, and is tried again', async () => {
    await follow(row(A));
    const before = await issued.get(A);
    issuer.refuse(A, { kind: 'authority', detail: '' });
    await pass(61 * DAY_MS);
    expect(await issued.get(A)).toEqual(before);
    expect(await problemOf(A)).toMatch(
      /^authority\.test.* The domain's certificate ends on 2027-02-19 and could not be renewed\./,
    );
    issuer.refuse(A, null);
    await pass(12 * HOUR_MS);
    expect(await problemOf(A)).toBeNull();
    expect(await issued.get(A)).not.toEqual(before);
  });

  it('comes at once when another authority is chosen, and the old one is served meanwhile', async () => {
    await follow(row(A));
    await issued.stop();
    issuer.moveTo('https://other.test/directory');
    issuer.hold(true);
    issued = open();
    await issued.follow([row(A)]);
    expect(await issued.get(A)).toMatchObject({ authority: 'https://authority.test/directory' });
    expect(await problemOf(A)).toBeNull();
    issuer.hold(false);
    await issued.tried(1);
    expect(await issued.get(A)).toMatchObject({ authority: 'https://other.test/directory' });
  });

  it('replaces a pair that was damaged', async () => {
    await follow(row(A));
    await issuer.keepOnly([]);
    issued.forget();
    await follow(row(A));
    expect(issuer.asked(A)).toBe(2);
    expect(await problemOf(A)).toBeNull();
  });
});

describe('a domain that wants none any more', () => {
  it('leaves no pair behind, whether it is deleted or becomes self-signed', async () => {
    await follow(row(A), row(B));
    await issued.follow([row(A, 2, 'self-signed'), row(B)]);
    expect(issuer.kept()).toEqual([B]);
    await issued.follow([]);
    expect(issuer.kept()).toEqual([]);
    await pass(100 * DAY_MS);
    expect(issuer.asked(A)).toBe(1);
  });

  it('is given up while it is being asked for, and can be had again', async () => {
    issuer.hold(true);
    await issued.follow([row(A), row(B)]);
    await issued.follow([row(B)]);
    issuer.hold(false);
    await issued.tried(2);
    expect(issuer.kept()).toEqual([B]);
    await follow(row(A), row(B));
    expect(issuer.kept().toSorted()).toEqual([A, B]);
  });

  it('loses what an earlier gateway left', async () => {
    await follow(row(A));
    await issued.stop();
    issued = open();
    await issued.follow([row(B)]);
    expect(issuer.kept()).not.toContain(A);
  });
});
