import { tokenAttributes, tokenInput, type CreatedToken, type Node } from '@sallyport/sdk/contract';
import { tokenExpiryProblem } from '@sallyport/sdk/rules';
import { useWrite } from '../../data/useWrite.ts';
import { DateField } from '../../form/DateField.tsx';
import { formValues } from '../../form/formValues.ts';
import { FormProblem } from '../../form/FormProblem.tsx';
import { TextField } from '../../form/TextField.tsx';
import { useContractForm } from '../../form/useContractForm.ts';
import { useNow } from '../../state/useNow.ts';
import { FormDialog } from '../../ui/overlays/FormDialog.tsx';

/** How often it is looked which day it is. */
const TICK_MS = 60_000;

type TokenFormDialogProps = { node: Node; onClose: (created?: CreatedToken) => void };

/** Makes an access token of a node. */
export function TokenFormDialog({ node, onClose }: TokenFormDialogProps) {
  const create = useWrite('token.create');
  const now = useNow(TICK_MS);
  const { form, onSubmit, busy, problem } = useContractForm({
    schema: tokenInput,
    row: undefined,
    valuesOf: () => formValues(tokenAttributes, {}),
    rules: ({ expireAt }) => [tokenExpiryProblem(expireAt, new Date())],
    save: (body) => create.mutateAsync({ params: { id: node.id }, body }),
    done: onClose,
  });
  const { control } = form;
  return (
    <FormDialog
      open
      size="small"
      busy={busy}
      onSubmit={onSubmit}
      onClose={() => onClose()}
      title="Access Token Configuration"
    >
      <div className="flex flex-col gap-4">
        <FormProblem problem={problem} />
        <TextField
          control={control}
          name="name"
          label="Name"
          required
          placeholder="Enter a friendly name for this token"
        />
        <DateField
          control={control}
          name="expireAt"
          label="Expire At (Optional)"
          placeholder="Select a date"
          calendarLabel="Day of expiry"
          hint="Define when the token should be revoked automatically"
          earliest={now}
        />
      </div>
    </FormDialog>
  );
}
