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
