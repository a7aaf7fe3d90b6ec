import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { Button } from '../controls/Button.tsx';
import { Field } from '../controls/Field.tsx';
import { TextInput } from '../controls/TextInput.tsx';
import { ConfirmDialog, Dialog } from './Dialog.tsx';

it('starts in its first field, submits once, and closes with Escape', async () => {
  const onSubmit = vi.fn<() => void>();
  const onClose = vi.fn<() => void>();
  const footer = <Button type="submit">Save</Button>;
  const dialog = (locked: boolean) => (
    <Dialog title="Domain" locked={locked} footer={footer} onClose={onClose} onSubmit={onSubmit}>
      <Field label="Name">
        <TextInput />
      </Field>
    </Dialog>
  );
  const { rerender } = render(dialog(true));
  const field = await screen.findByLabelText('Name');
  await waitFor(() => expect(document.activeElement).toBe(field));
  fireEvent.keyDown(field, { key: 'Escape' });
  fireEvent.click(screen.getByRole('button', { name: 'Close' }));
  expect(onClose).not.toHaveBeenCalled();
  rerender(dialog(false));
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(onSubmit).toHaveBeenCalledTimes(1);
  fireEvent.keyDown(field, { key: 'Escape' });
  expect(onClose).toHaveBeenCalledTimes(1);
});

it('asks with the focus on Cancel, and takes Escape for it', async () => {
  const onAccept = vi.fn<() => void>();
  const onClose = vi.fn<() => void>();
  const question = { title: 'Delete node', text: 'Are you sure?', about: 'web-1', effect: 'It is gone then.' };
  render(<ConfirmDialog {...question} variant="danger" accept="Yes!" onAccept={onAccept} onClose={onClose} />);
  const dialog = await screen.findByRole('alertdialog', { name: 'Delete node' });
  expect(dialog.textContent).toBe('Delete nodeAre you sure?web-1It is gone then.CancelYes!');
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Cancel' })));
  fireEvent.click(screen.getByRole('button', { name: 'Yes!' }));
  expect([onAccept.mock.calls.length, onClose.mock.calls.length]).toEqual([1, 0]);
  fireEvent.keyDown(dialog, { key: 'Escape' });
  expect([onAccept.mock.calls.length, onClose.mock.calls.length]).toEqual([1, 1]);
});
