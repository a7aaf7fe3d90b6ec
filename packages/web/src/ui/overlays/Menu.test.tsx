import { fireEvent, render, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { RowMenu } from './Menu.tsx';

it('says why an action cannot be chosen, and does not run it', async () => {
  const onSelect = vi.fn<() => void>();
  render(<RowMenu label="Actions of web-1" items={[{ label: 'Expose TCP', onSelect, disabled: 'No free port' }]} />);
  fireEvent.click(screen.getByRole('button', { name: 'Actions of web-1' }));
  const entry = await screen.findByRole('menuitem', { name: /Expose TCP/ });
  expect(entry.textContent).toContain('No free port');
  fireEvent.click(entry);
  expect(onSelect).not.toHaveBeenCalled();
});

it('is not there when nothing can be done', () => {
  const { container } = render(<RowMenu label="Actions of Local" items={[]} />);
  expect(container.childElementCount).toBe(0);
});
