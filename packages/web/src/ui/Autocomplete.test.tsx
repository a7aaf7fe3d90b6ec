import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Autocomplete } from './Autocomplete.tsx';
import { Field } from './Field.tsx';

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

function Demo({ onQueryChange }: { onQueryChange?: (query: string) => void }) {
  const [value, setValue] = useState('');
  return (
    <Field label="Public Domain">
      <Autocomplete
        value={value}
        onValueChange={setValue}
        onQueryChange={onQueryChange}
        options={[{ value: 'app.example.test' }, { value: 'git.example.test' }]}
      />
    </Field>
  );
}

const input = () => screen.getByRole<HTMLInputElement>('combobox', { name: 'Public Domain' });
const type = (text: string) => {
  fireEvent.change(input(), { target: { value: text } });
};
const pass = (ms: number) => {
  act(() => {
    vi.advanceTimersByTime(ms);
  });
};

it('asks 300 ms after the last keystroke, once', () => {
  const onQueryChange = vi.fn<(query: string) => void>();
  render(<Demo onQueryChange={onQueryChange} />);
  type('a');
  pass(299);
  type('ap');
  pass(299);
  expect(onQueryChange).not.toHaveBeenCalledWith('a');
  onQueryChange.mockClear();
  pass(1);
  expect(onQueryChange.mock.calls).toEqual([['ap']]);
});

it('keeps a text that is not among the options', () => {
  render(<Demo />);
  type('new.example.test');
  fireEvent.blur(input());
  pass(500);
  expect(input().value).toBe('new.example.test');
});

it('closes the list 150 ms after the focus left', () => {
  render(<Demo />);
  act(() => {
    input().focus();
  });
  fireEvent.keyDown(input(), { key: 'ArrowDown' });
  pass(10);
  expect(input().getAttribute('aria-expanded')).toBe('true');
  act(() => {
    input().blur();
  });
  pass(149);
  expect(input().getAttribute('aria-expanded')).toBe('true');
  pass(1);
  expect(input().getAttribute('aria-expanded')).toBe('false');
});
