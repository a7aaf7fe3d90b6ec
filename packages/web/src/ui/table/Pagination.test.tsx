import { fireEvent, render, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { Pagination } from './Pagination.tsx';

it.each([0, 1, 10])('shows nothing when %i rows fit on one page', (total) => {
  const { container } = render(
    <Pagination label="Nodes" page={1} limit={10} total={total} onPage={vi.fn<(page: number) => void>()} />,
  );
  expect(container.childElementCount).toBe(0);
});

it('tells where the page is and leads to its neighbours', () => {
  const onPage = vi.fn<(page: number) => void>();
  render(<Pagination label="Nodes" page={2} limit={10} total={23} onPage={onPage} />);
  expect(screen.getByText('Showing 11 to 20 of 23')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Next' }));
  fireEvent.click(screen.getByRole('button', { name: 'Previous' }));
  expect(onPage.mock.calls).toEqual([[3], [1]]);
});

it('ends at the last page', () => {
  render(<Pagination label="Nodes" page={3} limit={10} total={23} onPage={vi.fn<(page: number) => void>()} />);
  expect(screen.getByText('Showing 21 to 23 of 23')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Next' })).toHaveProperty('disabled', true);
});

it('offers other page sizes as soon as the smallest does not hold everything', () => {
  const onLimit = vi.fn<(limit: number) => void>();
  const paged = (limit: number, total: number) => (
    <Pagination
      label="Nodes"
      page={1}
      limit={limit}
      total={total}
      onPage={vi.fn<(page: number) => void>()}
      sizes={[10, 20, 50]}
      onLimit={onLimit}
    />
  );
  const { container, rerender } = render(paged(10, 10));
  expect(container.childElementCount).toBe(0);
  rerender(paged(50, 11));
  expect(screen.queryByRole('button', { name: 'Next' })).toBeNull();
  fireEvent.change(screen.getByLabelText('Nodes, rows on a page'), { target: { value: '20' } });
  expect(onLimit).toHaveBeenCalledExactlyOnceWith(20);
});
