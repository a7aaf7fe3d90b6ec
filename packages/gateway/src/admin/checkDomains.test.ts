import { expect, it } from 'vitest';
import type { DomainDns } from '@sallyport/sdk/contract';
import { judge } from '../dns/judge.ts';
import type { DnsAnswer } from '../dns/nameServers.ts';
import { checkDomains } from './checkDomains.ts';

const HERE = '203.0.113.5';
const ANSWER: DnsAnswer = { nameServers: ['192.0.2.53'], cnames: [], a: [], aaaa: [], failure: null };
const NONE = { lookUps: 1000, findings: 1000, ms: 60_000 };

/** Domains lead to the address that stands in their first label, or to nothing. */
function dnsOf(addresses: Record<string, Partial<DnsAnswer>>) {
  const asked: string[] = [];
  const check = async (domain: string): Promise<DomainDns> => {
    asked.push(domain);
    const answer = { ...ANSWER, a: ['198.51.100.9'], ...addresses[domain] };
    const target = { host: HERE, addresses: [HERE] };
    return { ...judge(domain, answer, target, []), checkedAt: '2026-11-28T12:00:00.000Z' };
  };
  return { asked, check };
}
const many = (count: number) => Array.from({ length: count }, (_, index) => `a${100 + index}.example.test`);

it('has a finding for each domain that leads elsewhere, with the record that is to be made', async () => {
  const names = ['web.example.test', 'app.example.test', 'gone.example.test'];
  const dns = dnsOf({ 'web.example.test': { a: [HERE] }, 'gone.example.test': { a: [], failure: 'ENOTFOUND' } });
  const record = (name: string) => `${name} A ${HERE}`;
  expect(await checkDomains(names, dns, NONE)).toMatchObject([
    {
      what: 'domain',
      state: 'warning',
      text: expect.stringMatching(/^app\.example\.test: The name leads to 198\.51\.100\.9, not to this gateway/),
      fix: expect.stringContaining(record('app.example.test')),
      command: expect.stringMatching(/ check$/),
    },
    { text: expect.stringMatching(/^gone\.example\.test: The name is not known/), state: 'warning' },
    { what: 'domains', state: 'ok', text: '1 of 3 lead to this gateway.', command: null },
  ]);
  expect(await checkDomains([], dns)).toEqual([]);
});

it('says once that the name servers do not answer', async () => {
  const names = many(3);
  const silent = Object.fromEntries(names.map((name) => [name, { a: [], failure: 'ETIMEOUT' }]));
  expect(await checkDomains(names, dnsOf(silent), NONE)).toMatchObject([
    { state: 'warning', text: expect.stringMatching(/^Where 3 of 3 lead is not known: .*did not answer/) },
  ]);
});

it('looks up and names a few of hundreds, and says how many are left', async () => {
  const dns = dnsOf({});
  const found = await checkDomains(many(300), dns, { ...NONE, lookUps: 100, findings: 2 });
  expect(dns.asked).toHaveLength(100);
  expect(found.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^a100\./),
    expect.stringMatching(/^a101\./),
    '0 of 300 lead to this gateway. 98 more do not. 200 were not looked up, so that this ends soon.',
  ]);
});

it('begins no look-up when its time is over', async () => {
  const dns = dnsOf({});
  expect(await checkDomains(many(300), dns, { ...NONE, ms: 0 })).toMatchObject([
    { state: 'ok', text: expect.stringContaining('300 were not looked up') },
  ]);
  expect(dns.asked).toEqual([]);
});
