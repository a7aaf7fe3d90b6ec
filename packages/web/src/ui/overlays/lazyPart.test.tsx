import { fireEvent, render, screen } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { lazyDialog, lazyPart, PartFailed } from './lazyPart.tsx';

const Part = ({ name }: { name: string }) => <p>Hello {name}</p>;

/** A part that cannot be fetched so many times; and how often the page was loaded again. */
function trial(failures: number) {
  const reload = vi.fn<() => void>();
  let left = failures;
  const fetchPart = () => (left-- > 0 ? Promise.reject(new TypeError('not there')) : Promise.resolve(Part));
  const Lazy = lazyPart(fetchPart, ({ retry }) => <PartFailed what="The part" onRetry={retry} />, reload);
  render(
    <>
      <p>The page</p>
      <Lazy name="you" />
    </>,
  );
  return { reload };
}

// React tells the browser's console of what a boundary has caught.
beforeEach(() => void vi.spyOn(console, 'error').mockReturnValue());

it('is fetched when it is shown', async () => {
  trial(0);
  expect(await screen.findByText('Hello you')).toBeDefined();
  expect(screen.queryByText(/could not be loaded/)).toBeNull();
});

it('is fetched once more by itself: a browser whose network changes gives up what it was fetching', async () => {
  const { reload } = trial(1);
  await screen.findByText('Hello you');
  expect(screen.queryByText(/could not be loaded/)).toBeNull();
  expect(reload).not.toHaveBeenCalled();
});

it('says that it could not be loaded, leaves the page alone, and tries again when asked', async () => {
  const { reload } = trial(2);
  await screen.findByText('The part could not be loaded.');
  screen.getByText('The page');
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  await screen.findByText('Hello you');
  expect(reload).not.toHaveBeenCalled();
});

it('loads the page again when trying again was in vain: an updated gateway has other files', async () => {
  const { reload } = trial(4);
  fireEvent.click(await screen.findByRole('button', { name: 'Try again' }));
  await vi.waitFor(() => {
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(reload).toHaveBeenCalled();
  });
});

it('is a dialog in the place of one, with a way out', async () => {
  const onClose = vi.fn<() => void>();
  const Lazy = lazyDialog<{ onClose: () => void }>(() => Promise.reject(new TypeError('not there')));
  render(<Lazy onClose={onClose} />);
  const dialog = await screen.findByRole<HTMLDialogElement>('dialog', { name: 'This part could not be loaded' });
  expect(dialog.open).toBe(true);
  fireEvent.click(screen.getByRole('button', { name: 'Close' }));
  expect(onClose).toHaveBeenCalledTimes(1);
});
