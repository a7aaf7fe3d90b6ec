import { fireEvent, render, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { QueryTable, type TableView } from './QueryTable.tsx';

type Fruit = { id: number; name: string };

const view = (page: number, search?: string) => ({
  query: { page, limit: 10, ...(search === undefined ? {} : { search }) },
  sizes: [10, 20],
  goTo: vi.fn<(page: number) => void>(),
  correct: vi.fn<(page: number) => void>(),
  resize: vi.fn<(limit: number) => void>(),
  look: vi.fn<(text: string) => void>(),
  filter: vi.fn<(tags: string[]) => void>(),
  heading: () => ({ sorted: undefined, onSort: () => undefined }),
});

const read = (rows: readonly Fruit[], total = rows.length) => ({
  data: { data: rows, page: 1, total },
  isPlaceholderData: false,
  isError: false,
  refetch: vi.fn<() => void>(),
});
const unread = { data: undefined, isPlaceholderData: false, isError: false, refetch: vi.fn<() => void>() };

const table = (page: ReturnType<typeof read> | typeof unread, of: TableView<'name'>) => (
  <QueryTable<Fruit, 'name'>
    title="Fruits"
    what="fruits"
    page={page}
    view={of}
    columns={[{ heading: 'Name', sort: 'name', as: 'name', cell: ({ name }) => name }]}
    nameOf={({ name }) => name}
    actions={() => []}
    detailsOf={({ name }) => (name === 'Plum' ? 'Prunus' : null)}
    empty={{ icon: null, title: 'No fruits yet' }}
  />
);

const said = () => screen.getByRole('table', { name: 'Fruits' }).textContent;

it('says that it could not be read, and reads it again when asked', () => {
  const failed = { ...unread, isError: true, refetch: vi.fn<() => void>() };
  const { rerender } = render(table(failed, view(1)));
  expect(said()).toContain('Fruits could not be read');
  fireEvent.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(failed.refetch).toHaveBeenCalledOnce();
  rerender(table(unread, view(1)));
  expect(said()).not.toContain('could not be read');
});

it('keeps the rows that it has when reading them again fails', () => {
  render(table({ ...read([{ id: 1, name: 'Plum' }]), isError: true }, view(1)));
  expect(said()).toMatch(/Plum.*Prunus/);
  expect(said()).not.toContain('could not be read');
});

it('orders cards, which have no headings to press, by one choice and its direction', () => {
  const onSort = vi.fn<() => void>();
  const of = (sorted?: 'ascending' | 'descending') => ({ ...view(1), heading: () => ({ sorted, onSort }) });
  const page = read([{ id: 1, name: 'Plum' }]);
  const { rerender } = render(table(page, of()));
  const choice = screen.getByLabelText<HTMLSelectElement>('Sort by');
  expect([...choice.options].map(({ text }) => text)).toEqual(['Sort by', 'Name']);
  fireEvent.change(choice, { target: { value: 'Name' } });
  expect(onSort).toHaveBeenCalledOnce();
  rerender(table(page, of('ascending')));
  expect(choice.value).toBe('Name');
  fireEvent.click(screen.getByRole('button', { name: 'Ascending' }));
  expect(onSort).toHaveBeenCalledTimes(2);
  rerender(table(page, of('descending')));
  expect(screen.getByRole('button', { name: 'Descending' })).toBeDefined();
  rerender(table(read([]), of()));
  expect(screen.queryByLabelText('Sort by')).toBeNull();
});

it('as a part of a screen says in one line that it is empty, and is not ordered while it is short', () => {
  const card = (page: ReturnType<typeof read>) => (
    <QueryTable<Fruit, 'name'>
      title="Fruits"
      what="fruits"
      page={page}
      view={{ ...view(1), sizes: [2, 4] }}
      columns={[{ heading: 'Name', sort: 'name', as: 'name', cell: ({ name }) => name }]}
      nameOf={({ name }) => name}
      card={{ actions: <button type="button">Add</button> }}
      empty={{ title: 'No fruits yet' }}
    />
  );
  const rows = [1, 2].map((id) => ({ id, name: `Plum ${id}` }));
  const { rerender } = render(card(read([])));
  expect(screen.getByRole('region', { name: 'Fruits' }).textContent).toMatch(/^FruitsNo fruits yet\s*Add$/);
  rerender(card(read(rows)));
  expect(screen.getAllByRole('columnheader')).toHaveLength(1);
  expect(screen.queryByLabelText('Sort by')).toBeNull();
  rerender(card(read(rows, 3)));
  expect(screen.getByLabelText('Sort by')).toBeDefined();
});
