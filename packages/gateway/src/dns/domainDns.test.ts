import { beforeEach, expect, it } from 'vitest';
import { createTestClock } from '../testing/testClock.ts';
import { createDomainDns } from './domainDns.ts';
import type { DnsAnswer } from './nameServers.ts';

const clock = createTestClock(new Date('2026-11-21T12:00:00.000Z'));
const HOUR_MS = 3_600_000;

let asked: string[];
/** What each question waits for. */
let held: Promise<void> | undefined;
let address: string;

beforeEach(() => {
  asked = [];
  held = undefined;
  address = '203.0.113.5';
});

const dnsOf = (host: string, known: Record<string, string[]> = {}) =>
  createDomainDns({
    nameServers: {
      async ask(name): Promise<DnsAnswer> {
        asked.push(name);
        const a = [address];
        await held;
        return { nameServers: ['192.0.2.53'], cnames: [], a, aaaa: [], failure: null };
      },
    },
    names: { resolve: async (name) => known[name] ?? Promise.reject(new Error('not known')) },
    publicHost: () => host,
    now: clock.now,
    ownAddresses: () => ['127.0.0.1', '192.168.1.10'],
  });
const GATEWAY = { 'gw.example.test': ['203.0.113.5'] };

it('compares with what the public name of the gateway leads to', async () => {
  const dns = dnsOf('gw.example.test', GATEWAY);
  expect(await dns.check('app.example.test')).toMatchObject({
    state: 'here',
    checkedAt: '2026-11-21T12:00:00.000Z',
    expectedHost: 'gw.example.test',
    expected: ['203.0.113.5'],
  });
});

it.each([
  ['debian', { debian: ['127.0.1.1'] }, 'unknown-address'],
  ['debian', {}, 'unknown-address'],
  ['localhost', { localhost: ['127.0.0.1'] }, 'elsewhere'],
])('takes no loopback address for the public one, unless that is what was set: %s', async (host, known, state) => {
  expect((await dnsOf(host, known).check('app.example.test')).state).toBe(state);
});

it('asks once for all who ask at once, and again after two seconds', async () => {
  const dns = dnsOf('gw.example.test', GATEWAY);
  const gate = Promise.withResolvers<void>();
  held = gate.promise;
  const both = [dns.check('app.example.test'), dns.check('app.example.test')];
  gate.resolve();
  const [first, second] = await Promise.all(both);
  expect(first).toEqual(second);
  expect(asked).toHaveLength(1);
  address = '198.51.100.9';
  expect((await dns.check('app.example.test')).state).toBe('here');
  clock.advance(2000);
  expect((await dns.check('app.example.test')).state).toBe('elsewhere');
  expect(asked).toHaveLength(2);
});

it('looks up few names at a time', async () => {
  const dns = dnsOf('gw.example.test', GATEWAY);
  const gate = Promise.withResolvers<void>();
  held = gate.promise;
  const all = Array.from({ length: 50 }, (_, index) => dns.check(`a${index}.example.test`));
  await expect.poll(() => asked.length).toBe(8);
  gate.resolve();
  await Promise.all(all);
  expect(asked).toHaveLength(50);
});

it('tells a list what it knows, and looks up in the background what it does not, each hour', async () => {
  const dns = dnsOf('gw.example.test', GATEWAY);
  const last = () => dns.last('app.example.test');
  expect([last(), last()]).toEqual(Array.from({ length: 2 }, () => ({ dnsState: null, dnsCheckedAt: null })));
  await expect.poll(last).toEqual({ dnsState: 'here', dnsCheckedAt: clock.now().toISOString() });
  expect(asked).toHaveLength(1);
  address = '198.51.100.9';
  clock.advance(HOUR_MS);
  expect(last().dnsState).toBe('here');
  expect(asked).toHaveLength(1);
  clock.advance(1);
  expect(last().dnsState).toBe('here');
  await expect.poll(() => last().dnsState).toBe('elsewhere');
});

it('does not queue more names of a long list than it can look up soon', async () => {
  const dns = dnsOf('gw.example.test', GATEWAY);
  const gate = Promise.withResolvers<void>();
  held = gate.promise;
  for (let number = 0; number < 1000; number += 1) dns.last(`a${number}.example.test`);
  gate.resolve();
  await expect.poll(() => dns.last('a99.example.test').dnsState).toBe('here');
  expect(asked.length).toBeLessThanOrEqual(101);
});
