import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { ConfirmDialog } from './ConfirmDialog.tsx';

function show(options: { busy?: boolean; acceptButtonText?: string } = {}) {
  const onAccept = vi.fn<() => void>();
  const onCancel = vi.fn<() => void>();
  render(<ConfirmDialog open title="Delete node web-1" onAccept={onAccept} onCancel={onCancel} {...options} />);
  return { onAccept, onCancel };
}

it('says Cancel and Accept unless told otherwise, and starts on Cancel', async () => {
  const { onAccept, onCancel } = show();
  const cancel = await screen.findByRole('button', { name: 'Cancel' });
  await waitFor(() => expect(document.activeElement).toBe(cancel));

  fireEvent.click(screen.getByRole('button', { name: 'Accept' }));
  expect(onAccept).toHaveBeenCalledTimes(1);
  expect(onCancel).not.toHaveBeenCalled();
});

it('takes Escape for Cancel', async () => {
  const { onAccept, onCancel } = show({ acceptButtonText: 'Yes, delete it!' });
  await screen.findByRole('button', { name: 'Yes, delete it!' });
  fireEvent.keyDown(screen.getByRole('alertdialog', { name: 'Delete node web-1' }), { key: 'Escape' });
  expect(onCancel).toHaveBeenCalledTimes(1);
  expect(onAccept).not.toHaveBeenCalled();
});

it('cannot be left or accepted again while it is busy', async () => {
  const { onAccept, onCancel } = show({ busy: true });
  fireEvent.click(await screen.findByRole('button', { name: 'Accept' }));
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  fireEvent.keyDown(screen.getByRole('alertdialog'), { key: 'Escape' });
  expect(onAccept).not.toHaveBeenCalled();
  expect(onCancel).not.toHaveBeenCalled();
});

it('is drawn by its variant, with an icon of its own when one is given', async () => {
  const looks = (['danger', 'success', 'info'] as const).map((variant) => {
    const { unmount } = render(
      <ConfirmDialog open title={variant} variant={variant} onAccept={() => undefined} onCancel={() => undefined} />,
    );
    const look = screen.getByRole('button', { name: 'Accept' }).className;
    unmount();
    return look;
  });
  expect(new Set(looks).size).toBe(3);
  const options = { title: 'Gone', description: 'For good', icon: <b>!</b>, cancelButtonText: 'Keep it' };
  render(<ConfirmDialog open {...options} onAccept={() => undefined} onCancel={() => undefined} />);
  const question = await screen.findByRole('alertdialog', { name: 'Gone' });
  expect(question.textContent).toBe('!GoneFor goodKeep itAccept');
});
