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

const unheard = () => undefined;

function Demo({ onQueryChange = unheard }: { onQueryChange?: (query: string) => void }) {
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

const arrow = (key: 'ArrowDown' | 'ArrowUp') => fireEvent.keyDown(input(), { key });
/** The list is fetched when it is first wanted. */
const list = async () => {
  await act(async () => {
    await vi.dynamicImportSettled();
  });
  return screen.getByRole('listbox', { name: 'Public Domain' });
};
const pointedAt = () => document.getElementById(input().getAttribute('aria-activedescendant') ?? '')?.textContent;

it('points at options with the arrows, round and round, and takes one with Enter', async () => {
  render(<Demo />);
  act(() => input().focus());
  arrow('ArrowDown');
  await list();
  expect(pointedAt()).toBeUndefined();
  const seen = ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp'].map((key) => {
    arrow(key as 'ArrowDown');
    return pointedAt();
  });
  expect(seen).toEqual(['app.example.test', 'git.example.test', 'app.example.test', 'git.example.test']);
  // Enter would else send the form.
  expect(fireEvent.keyDown(input(), { key: 'Enter' })).toBe(false);
  expect(input().value).toBe('git.example.test');
  expect(input().getAttribute('aria-expanded')).toBe('false');
  expect(fireEvent.keyDown(input(), { key: 'Enter' })).toBe(true);
});

it('closes the list with Escape, and leaves the key to the dialog only when there is no list', async () => {
  const heard = vi.fn<(event: KeyboardEvent) => void>();
  document.addEventListener('keydown', heard);
  render(<Demo />);
  act(() => input().focus());
  fireEvent.click(input());
  await list();
  fireEvent.keyDown(input(), { key: 'Escape' });
  expect(input().getAttribute('aria-expanded')).toBe('false');
  expect(heard).not.toHaveBeenCalled();
  fireEvent.keyDown(input(), { key: 'Escape' });
  expect(heard).toHaveBeenCalledTimes(1);
  document.removeEventListener('keydown', heard);
});
