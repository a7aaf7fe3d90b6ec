import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { describe, expect, it, vi } from 'vitest';
import { ConfirmDialog, Dialog, FormDialog } from './Dialog.tsx';
import { Field } from '../controls/Field.tsx';
import { TextInput } from '../controls/TextInput.tsx';

function Demo({ busy = false, onSubmit = vi.fn<() => void>() }: { busy?: boolean; onSubmit?: () => void }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Add Domain
      </button>
      <FormDialog
        open={open}
        busy={busy}
        onClose={() => setOpen(false)}
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
        title="Domain & SSL Settings"
      >
        <Field label="Domain">
          <TextInput />
        </Field>
      </FormDialog>
    </>
  );
}

async function openDialog() {
  const button = screen.getByRole('button', { name: 'Add Domain' });
  button.focus();
  fireEvent.click(button);
  return screen.findByRole('dialog', { name: 'Domain & SSL Settings' });
}

describe('a dialog', () => {
  it('starts in its first field and gives the focus back after Escape', async () => {
    render(<Demo />);
    await openDialog();
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Domain')));

    fireEvent.keyDown(screen.getByLabelText('Domain'), { key: 'Escape' });
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Add Domain' })));
  });

  it('submits its form with Enter or Save', async () => {
    const onSubmit = vi.fn<() => void>();
    render(<Demo onSubmit={onSubmit} />);
    await openDialog();
    fireEvent.click(screen.getByRole('button', { name: 'Save' }));
    expect(onSubmit).toHaveBeenCalledTimes(1);
  });

  it('has no way out while it is busy, and does not submit twice', async () => {
    const onSubmit = vi.fn<() => void>();
    render(<Demo busy onSubmit={onSubmit} />);
    const dialog = await openDialog();

    fireEvent.keyDown(dialog, { key: 'Escape' });
    fireEvent.click(screen.getByRole('button', { name: 'Close' }));
    fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
    fireEvent.click(screen.getByRole('button', { name: 'Save' }));

    expect(screen.getByRole('dialog')).toBe(dialog);
    expect(onSubmit).not.toHaveBeenCalled();
  });
});

it.each(['small', 'medium', 'large'] as const)('can be %s', async (size) => {
  render(
    <Dialog open size={size} title={size} onClose={() => undefined}>
      text
    </Dialog>,
  );
  expect((await screen.findByRole('dialog', { name: size })).className).toContain(`max-w-dialog-${size}`);
});

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
