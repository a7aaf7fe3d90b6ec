import { expect, it } from 'vitest';
import { saysStarting } from './startingUnit.ts';

const NOW = 500_000_000;
const shown = (state: string, startedAt: number): string =>
  `ExecMainStartTimestampMonotonic=${startedAt}\nActiveState=${state}\n`;

it.each([
  ['that systemd starts', shown('activating', 0), true],
  ['whose process began a moment ago', shown('active', NOW - 300_000), true],
  ['that has run for long', shown('active', NOW - 60_000_000), false],
  ['that is stopped', shown('inactive', NOW - 300_000), false],
  ['that ends', shown('deactivating', NOW - 300_000), false],
  ['that failed', shown('failed', NOW - 300_000), false],
  ['of which systemd says nothing', '', false],
])('knows a unit %s', (_, text, isStarting) => {
  expect(saysStarting(text, NOW)).toBe(isStarting);
});
