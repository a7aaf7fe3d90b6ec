import { expect, it } from 'vitest';
import { judge } from './judge.ts';
import { type DnsAnswer, NO_ADDRESS, NO_NAME } from './nameServers.ts';

const OWN = ['127.0.0.1', '::1', '192.168.1.10', '2001:db8::10', 'fe80::1'];
const TARGET = { host: '203.0.113.5', addresses: ['203.0.113.5'] };

const found = (given: Partial<DnsAnswer>): DnsAnswer => ({
  nameServers: ['192.0.2.53'],
  cnames: [],
  a: [],
  aaaa: [],
  failure: null,
  ...given,
});
const judged = (given: Partial<DnsAnswer>, target = TARGET) => {
  const { state, text } = judge('app.example.test', found(given), target, OWN);
  return `${state}: ${text}`;
};

it.each([
  [{ a: ['203.0.113.5'] }, /^here: The name leads to this gateway\.$/],
  [{ a: ['203.0.113.5'], aaaa: ['2001:db8:1::9'] }, /^partly: .*\(203\.0\.113\.5\), but also to 2001:db8:1::9: some/],
  [{ a: ['198.51.100.9'] }, /^elsewhere: .*198\.51\.100\.9, not to this gateway \(203\.0\.113\.5\)/],
  [{ failure: NO_NAME }, /^not-found: The name is not known at 192\.0\.2\.53\. It should lead to 203\.0\.113\.5\./],
  [{ failure: NO_ADDRESS }, /^not-found: The name has no address at/],
  [{ failure: NO_NAME, cnames: ['a.test', 'b.test'] }, /^not-found: The name stands for b\.test, which is not known/],
  [{ failure: 'ETIMEOUT' }, /^no-answer: The name servers \(192\.0\.2\.53\) did not answer in time\.$/],
  [{ failure: 'ESERVFAIL' }, /^no-answer: .*SERVFAIL/],
  [{ failure: 'EBADRESP' }, /^no-answer: .*no usable answer \(EBADRESP\)/],
])('of %j says %s', (answer, text) => {
  expect(judged(answer)).toMatch(text);
});

it('counts the public address behind NAT, not that of this machine in its own network', () => {
  expect(judged({ a: ['192.168.1.10'] })).toMatch(
    /^inside: .*192\.168\.1\.10.*outside must be led to 203\.0\.113\.5\./,
  );
  expect(judged({ a: ['192.168.1.11'] })).toMatch(/^elsewhere: /);
  expect(judged({ a: ['127.0.0.1'] })).toMatch(/^inside: .*every machine means itself/);
});

it('knows this machine by its other public addresses, however they are written', () => {
  const aaaa = ['2001:db8:0:0:0:0:0:10'];
  const target = { host: '203.0.113.5', addresses: ['203.0.113.5', '2606:4700::10'] };
  const { state } = judge('a.test', found({ aaaa: ['2606:4700:0::10'] }), target, OWN);
  expect(state).toBe('here');
  expect(judge('a.test', found({ aaaa: ['2606:4700:0::10'] }), TARGET, ['2606:4700::10']).state).toBe('here');
  expect(judge('a.test', found({ aaaa }), TARGET, ['fd00::10']).state).toBe('elsewhere');
});

it('takes a proxy that passes visitors on for the gateway', () => {
  const target = { ...TARGET, proxies: ['198.51.100.0/24', '2001:db8:9::/48'] };
  expect(judged({ a: ['198.51.100.9'], aaaa: ['2001:db8:9::1'] }, target)).toBe(
    'here: The name leads to a proxy that this gateway trusts.',
  );
  expect(judged({ a: ['198.51.100.9', '192.0.2.1'] }, target)).toMatch(/^partly: .*but also to 192\.0\.2\.1/);
});

it('says that a private address is one for its own network', () => {
  const target = { host: '192.168.1.10', addresses: ['192.168.1.10'] };
  expect(judged({ a: ['192.168.1.10'] }, target)).toMatch(/^here: .*192\.168\.1\.10 is a private address/);
  const isPrivate = (given: Partial<DnsAnswer>) => judge('app.example.test', found(given), target, OWN).isPrivate;
  expect(isPrivate({ a: ['192.168.1.10'], aaaa: ['fe80::1'] })).toBe(true);
  expect(isPrivate({ a: ['192.168.1.10', '203.0.113.5'] })).toBe(false);
  expect(isPrivate({})).toBe(false);
});

it('does not guess while the public address is not known', () => {
  const target = { host: 'debian', addresses: [] };
  expect(judged({ a: ['198.51.100.9'] }, target)).toMatch(/^unknown-address: .*debian.*SALLYPORT_VPN_HOST/);
  expect(judged({ failure: NO_NAME }, target)).toMatch(/^not-found: .*SALLYPORT_VPN_HOST/);
  expect(judge('a.test', found({}), target, OWN).records).toEqual([]);
});

it('gives the records to enter: the name of the gateway, where it has one, before its addresses', () => {
  const addresses = ['203.0.113.5', '2001:db8::5'];
  const { records } = judge('a.test', found({}), { host: 'gw.example.test', addresses }, OWN);
  expect(records).toEqual([
    { type: 'CNAME', name: 'a.test', value: 'gw.example.test' },
    { type: 'A', name: 'a.test', value: '203.0.113.5' },
    { type: 'AAAA', name: 'a.test', value: '2001:db8::5' },
  ]);
  const bare = judge('a.test', found({}), { host: 'box', addresses: ['203.0.113.5'] }, OWN);
  expect(bare.records.map(({ type }) => type)).toEqual(['A']);
  expect(judge('a.test', found({}), TARGET, OWN).records).toEqual([
    { type: 'A', name: 'a.test', value: '203.0.113.5' },
  ]);
});

it('names a few of many addresses', () => {
  const a = Array.from({ length: 20 }, (_, index) => `198.51.100.${index}`);
  expect(judged({ a })).toContain('198.51.100.0, 198.51.100.1, 198.51.100.2, 198.51.100.3 and 16 more, not');
});
