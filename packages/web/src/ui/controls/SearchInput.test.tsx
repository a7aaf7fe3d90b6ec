import { act, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SearchInput } from './SearchInput.tsx';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const asked = vi.fn<(text: string) => void>();
beforeEach(() => void asked.mockReset());

function Demo({ found }: { found?: number }) {
  const [value, setValue] = useState('');
  return (
    <>
      <SearchInput
        label="Search nodes"
        value={value}
        found={found}
        onChange={(text) => {
          asked(text);
          setValue(text);
        }}
      />
      <button type="button" onClick={() => setValue('back')}>
        Back
      </button>
    </>
  );
}
const input = () => screen.getByRole<HTMLInputElement>('searchbox', { name: 'Search nodes' });
const write = (value: string) => fireEvent.change(input(), { target: { value } });
const pass = (ms: number) => act(() => void vi.advanceTimersByTime(ms));

it('looks 300 ms after the last keystroke', () => {
  render(<Demo />);
  write('e');
  pass(299);
  write('ed');
  pass(299);
  expect(asked).not.toHaveBeenCalled();
  pass(1);
  expect(asked.mock.calls).toEqual([['ed']]);
});

it('keeps what is typed while an older answer comes in', () => {
  const { rerender } = render(<SearchInput label="Search nodes" value="" onChange={asked} />);
  write('e');
  pass(300);
  write('edge');
  rerender(<SearchInput label="Search nodes" value="e" onChange={asked} />);
  expect(input().value).toBe('edge');
  pass(300);
  rerender(<SearchInput label="Search nodes" value="edge" onChange={asked} />);
  expect(input().value).toBe('edge');
});

it('shows what someone else has put in its place', () => {
  render(<Demo />);
  write('ed');
  fireEvent.click(screen.getByRole('button', { name: 'Back' }));
  expect(input().value).toBe('back');
  pass(1000);
  expect(asked).not.toHaveBeenCalled();
});

it('is cleared at once by its button and by Escape, which goes no further while there is a text', () => {
  const heard = vi.fn<(event: KeyboardEvent) => void>();
  document.addEventListener('keydown', heard);
  render(<Demo />);
  expect(screen.queryByRole('button', { name: 'Clear search' })).toBeNull();
  write('ed');
  pass(300);
  fireEvent.click(screen.getByRole('button', { name: 'Clear search' }));
  expect([input().value, document.activeElement]).toEqual(['', input()]);
  expect(asked.mock.calls).toEqual([['ed'], ['']]);
  write('site');
  fireEvent.keyDown(input(), { key: 'Escape' });
  expect(input().value).toBe('');
  expect(heard).not.toHaveBeenCalled();
  fireEvent.keyDown(input(), { key: 'Escape' });
  expect(heard).toHaveBeenCalledTimes(1);
  document.removeEventListener('keydown', heard);
});

it('tells how many rows it has found', () => {
  render(<Demo found={3} />);
  expect(screen.getByRole('status').textContent).toBe('');
  write('ed');
  pass(300);
  expect(screen.getByRole('status').textContent).toBe('3 found');
});
