import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { reported } from '../../testing/openConsole.tsx';
import { CopyButton } from './CopyButton.tsx';

const writeText = vi.fn<(text: string) => Promise<void>>();

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('navigator', { clipboard: { writeText } });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  writeText.mockReset();
});

async function press() {
  await act(async () => {
    fireEvent.click(screen.getByRole('button', { name: 'Copy the token' }));
    await Promise.resolve();
  });
}

it('says that it copied, for two seconds', async () => {
  writeText.mockResolvedValue();
  render(<CopyButton text="secret" label="Copy the token" />);
  await press();
  expect(writeText).toHaveBeenCalledWith('secret');
  expect(screen.getByRole('status').textContent).toBe('Copied');

  act(() => {
    vi.advanceTimersByTime(1999);
  });
  expect(screen.getByRole('status').textContent).toBe('Copied');
  act(() => {
    vi.advanceTimersByTime(1);
  });
  expect(screen.getByRole('status').textContent).toBe('');
});

it('takes the tick back at once when the clipboard refuses', async () => {
  writeText.mockResolvedValueOnce();
  render(<CopyButton text="secret" label="Copy the token" />);
  await press();
  const refusal = new Error('denied');
  writeText.mockRejectedValueOnce(refusal);
  await press();
  expect(screen.getByRole('status').textContent).toBe('');
  expect(reported).toEqual([refusal]);
});
