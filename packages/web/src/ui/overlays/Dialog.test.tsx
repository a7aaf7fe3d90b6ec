import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { describe, expect, it, vi } from 'vitest';
import { Dialog } from './Dialog.tsx';
import { FormDialog } from './FormDialog.tsx';
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
