import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { DaysLeft } from './DaysLeft.tsx';

it.each([
  ['2029-03-03T12:00:00Z', '825 days left', false],
  ['2026-12-14T12:00:00Z', '15 days left', false],
  ['2026-12-13T12:00:00Z', '14 days left', false],
  ['2026-12-13T11:59:59Z', '13 days left', true],
  ['2026-11-30T12:00:00Z', '1 day left', true],
  ['2026-11-29T13:00:00Z', '0 days left', true],
  ['2026-11-29T11:00:00Z', 'expired', true],
])('says of a certificate that ends at %s: %s (warns: %s)', (until, text, warns) => {
  render(<DaysLeft until={until} now={new Date('2026-11-29T12:00:00Z')} />);
  expect(screen.getByText(text).className.includes('text-warning-ink')).toBe(warns);
});
