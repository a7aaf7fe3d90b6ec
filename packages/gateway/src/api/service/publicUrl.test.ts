import { expect, it } from 'vitest';
import { domainUrl } from './publicAddress.ts';

it.each([
  [443, 'https://app.example.test/'],
  [8443, 'https://app.example.test:8443/'],
])('leads to a domain at port %i by %s', (httpsPort, url) => {
  expect(domainUrl('app.example.test', { httpsPort })).toBe(url);
});
