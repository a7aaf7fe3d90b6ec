import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { Button, type ButtonSize, type ButtonVariant } from './Button.tsx';

const VARIANTS: ButtonVariant[] = ['default', 'black', 'info', 'danger', 'success', 'warning'];
const SIZES: ButtonSize[] = ['xs', 'sm', 'default', 'lg', 'icon'];

const looksOf = <T extends string>(kind: 'variant' | 'size', names: readonly T[]) => {
  render(names.map((name) => <Button key={name} {...{ [kind]: name }} aria-label={name} />));
  return names.map((name) => screen.getByRole('button', { name }).className);
};

it('has six variants, each with a look of its own', () => {
  expect(new Set(looksOf('variant', VARIANTS)).size).toBe(6);
});

it('has five sizes, each of its own', () => {
  expect(new Set(looksOf('size', SIZES)).size).toBe(5);
});
