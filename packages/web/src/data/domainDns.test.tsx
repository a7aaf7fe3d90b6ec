import type { DomainDns } from '@sallyport/sdk';
import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { DnsReport } from './domainDns.tsx';

const elsewhere: DomainDns = {
  domain: 'app.example.test',
  state: 'elsewhere',
  text: 'The name leads elsewhere.',
  nameServers: ['192.0.2.53'],
  checkedAt: '2026-11-21T10:00:00.000Z',
  cnames: [],
  a: ['198.51.100.1'],
  aaaa: [],
  isPrivate: false,
  expectedHost: 'gw.example.test',
  expected: ['203.0.113.1'],
  records: [{ type: 'A', name: 'app.example.test', value: '203.0.113.1' }],
};

it.each([
  [['old.example.net', 'older.example.net'], true],
  [[], false],
])('says what to do with a CNAME record before another one is entered: %j', (cnames, isAlias) => {
  render(<DnsReport dns={{ ...elsewhere, cnames }} />);
  const { textContent: said } = screen.getByRole('region', { name: 'Records for the DNS provider' });
  expect(said?.includes('CNAME record, which leads to old.example.net. Remove it, or point it')).toBe(isAlias);
});
