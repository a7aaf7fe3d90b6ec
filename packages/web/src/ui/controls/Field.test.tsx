import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { Field } from './Field.tsx';
import { TextInput } from './TextInput.tsx';

it('ties label, hint and error to the control', () => {
  render(
    <Field label="Backend Port" required hint="1 to 65535" error="This field is required">
      <TextInput />
    </Field>,
  );
  const input = screen.getByLabelText(/Backend Port/);
  const described = (input.getAttribute('aria-describedby') ?? '')
    .split(' ')
    .map((id) => document.getElementById(id)?.textContent);
  expect(described).toEqual(['This field is required', '1 to 65535']);
  expect(input.getAttribute('aria-invalid')).toBe('true');
  expect(input.getAttribute('aria-required')).toBe('true');
});

it('says nothing about errors when there is none', () => {
  render(
    <Field label="Name">
      <TextInput />
    </Field>,
  );
  const input = screen.getByLabelText('Name');
  expect(input.getAttribute('aria-invalid')).toBeNull();
  expect(input.getAttribute('aria-describedby')).toBeNull();
});
