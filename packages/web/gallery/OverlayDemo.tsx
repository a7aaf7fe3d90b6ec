import { useState } from 'react';
import { Button } from '../src/ui/Button.tsx';
import { Card } from '../src/ui/Card.tsx';
import { ConfirmDialog, type ConfirmVariant } from '../src/ui/ConfirmDialog.tsx';
import { Dialog, type DialogSize } from '../src/ui/Dialog.tsx';
import { Autocomplete } from '../src/ui/Autocomplete.tsx';
import { Field } from '../src/ui/Field.tsx';
import { FormDialog } from '../src/ui/FormDialog.tsx';
import { NumberInput } from '../src/ui/NumberInput.tsx';
import { PageHeader } from '../src/ui/PageHeader.tsx';
import { ReadonlyField } from '../src/ui/ReadonlyField.tsx';
import { RowMenu } from '../src/ui/RowMenu.tsx';
import { Select } from '../src/ui/Select.tsx';
import { TextInput } from '../src/ui/TextInput.tsx';
import { ToastList, type ToastItem } from '../src/ui/ToastList.tsx';

const TOASTS: ToastItem[] = [
  { id: 1, type: 'success', message: 'Service exposed successfully!' },
  { id: 2, type: 'error', message: 'The port 20004 is taken by another service.' },
  { id: 3, message: 'The node berlin-office is online.' },
  { id: 4, type: 'warning', message: 'The certificate of app.example.test ends in 6 days.' },
];

export function OverlayDemo() {
  const [dialog, setDialog] = useState<DialogSize | null>(null);
  const [form, setForm] = useState(false);
  const [busy, setBusy] = useState(false);
  const [domain, setDomain] = useState('');
  const [confirm, setConfirm] = useState<ConfirmVariant | null>(null);
  const [toasts, setToasts] = useState<readonly ToastItem[]>([]);
  return (
    <>
      <PageHeader title="Overlays" />
      <Card title="Open">
        <div className="flex flex-wrap gap-2">
          {(['small', 'medium', 'large'] as const).map((size) => (
            <Button key={size} onClick={() => setDialog(size)}>
              Dialog {size}
            </Button>
          ))}
          <Button onClick={() => setForm(true)}>Form</Button>
          {(['danger', 'success', 'info'] as const).map((variant) => (
            <Button key={variant} onClick={() => setConfirm(variant)}>
              Confirm {variant}
            </Button>
          ))}
          <Button onClick={() => setToasts(TOASTS)}>Toasts</Button>
          <RowMenu
            label="Actions"
            items={[
              { label: 'Open the form', onSelect: () => setForm(true) },
              { label: 'Delete', danger: true, onSelect: () => setConfirm('danger') },
            ]}
          />
        </div>
      </Card>
      <Dialog
        open={dialog !== null}
        onClose={() => setDialog(null)}
        size={dialog ?? 'small'}
        title="New Access Token Generated"
        description="Store it securely: it is not shown again."
        footer={<Button onClick={() => setDialog(null)}>Close</Button>}
      >
        <ReadonlyField label="Token" value="spt_2f8a0c9d1e7b4a6f" copyLabel="Copy the token" />
      </Dialog>
      <FormDialog
        open={form}
        busy={busy}
        onClose={() => setForm(false)}
        onSubmit={(event) => {
          event.preventDefault();
          setBusy(true);
          setTimeout(() => setBusy(false), 3000);
        }}
        title="Expose HTTP Service on Node"
      >
        <div className="grid gap-4 sm:grid-cols-6">
          <Field label="Node Name" className="sm:col-span-3">
            <TextInput readOnly value="berlin-office" />
          </Field>
          <Field label="Service Name" required error="This field is required" className="sm:col-span-3">
            <TextInput />
          </Field>
          <Field label="Public Domain" className="sm:col-span-6">
            <Autocomplete
              value={domain}
              onValueChange={setDomain}
              options={[{ value: 'app.example.test', note: 'Self Signed' }, { value: 'git.example.test' }]}
              emptyText="A new domain"
            />
          </Field>
          <Field label="Backend Protocol" className="sm:col-span-2">
            <Select
              options={[
                { value: 'http', label: 'http://' },
                { value: 'https', label: 'https://' },
              ]}
            />
          </Field>
          <Field label="Backend Host" className="sm:col-span-2">
            <TextInput mono placeholder="198.51.100.7" />
          </Field>
          <Field label="Backend Port" required className="sm:col-span-2">
            <NumberInput defaultValue="80" />
          </Field>
        </div>
      </FormDialog>
      <ConfirmDialog
        open={confirm !== null}
        variant={confirm ?? 'info'}
        title="Delete node berlin-office"
        description="Are you sure you want to delete this node? This action cannot be undone. Its 3 services go with it."
        acceptButtonText="Yes, delete it!"
        onAccept={() => setConfirm(null)}
        onCancel={() => setConfirm(null)}
      />
      <ToastList toasts={toasts} onClose={(id) => setToasts(toasts.filter((toast) => toast.id !== id))} />
    </>
  );
}
