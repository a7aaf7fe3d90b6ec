import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { EnabledDot, StatusDot } from './Badge.tsx';

it.each([
  ['online', 'Online', true],
  ['idle', 'Idle', true],
  ['offline', 'Offline', false],
  ['waiting', 'Waiting for first connection', false],
] as const)('shows %s in a colour and a shape of its own, next to the words %s (pulse: %s)', (status, name, pulses) => {
  render(<StatusDot status={status} />);
  const dot = screen.getByText(name).firstElementChild;
  expect(dot?.className).toContain(`text-mark-${status}`);
  expect(dot?.querySelector('.animate-pulse') !== null).toBe(pulses);
});

it('is green for what is enabled and red for what is disabled', () => {
  render([<EnabledDot key="on" enabled />, <EnabledDot key="off" enabled={false} />]);
  expect(screen.getByRole('img', { name: 'Enabled' }).className).toContain('text-mark-online');
  expect(screen.getByRole('img', { name: 'Disabled' }).className).toContain('text-mark-offline');
});
