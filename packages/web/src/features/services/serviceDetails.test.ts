import { expect, it } from 'vitest';
import { timeLeft } from './serviceDetails.tsx';

const NOW = new Date('2026-11-21T12:00:00.000Z');
const after = (ms: number) => new Date(NOW.getTime() + ms).toISOString();
const S = 1000;
const MIN = 60 * S;
const H = 60 * MIN;
const D = 24 * H;

it.each([
  [-D, 'any moment now'],
  [0, 'any moment now'],
  [1, 'in less than a minute'],
  [59 * S, 'in less than a minute'],
  [MIN, 'in 1 min'],
  [H - S, 'in 1 h'],
  [2 * H - 3 * S, 'in 2 h'],
  [2 * H - MIN, 'in 1 h 59 min'],
  [D, 'in 1 d'],
  [D + 5 * MIN, 'in 1 d'],
  [7 * D - 30 * MIN, 'in 6 d 23 h'],
  [365 * D, 'in 365 d'],
])('tells %d ms as "%s"', (ms, text) => {
  expect(timeLeft(after(ms), NOW)).toBe(text);
});
