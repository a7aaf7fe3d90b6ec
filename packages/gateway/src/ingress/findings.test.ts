import { expect, it, vi } from 'vitest';
import { createFindings } from './findings.ts';

const serving = { up: true, generation: 1, problem: null };

it.each([
  ['nginx serves no more', { ...serving, up: false }],
  ['nginx serves another generation', { ...serving, generation: 2 }],
  ['there is another reason', { ...serving, problem: 'The disk is full.' }],
])('are told when %s, and once', (_, next) => {
  const findings = createFindings();
  findings.settle(new Map(), serving);
  const told = vi.fn<() => void>();
  findings.onNews(told);
  findings.settle(new Map(), serving);
  expect(told).not.toHaveBeenCalled();
  for (const status of [next, { ...next }]) findings.settle(new Map(), status);
  expect(told).toHaveBeenCalledTimes(1);
  expect(findings.status()).toEqual(next);
});
