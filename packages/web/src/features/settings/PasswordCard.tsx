import { PASSWORD_MIN_CHARS, passwordInput } from '@sallyport/sdk/contract';
import type { ComponentProps } from 'react';
import type { FieldValues } from 'react-hook-form';
import { useRead, useWrite } from '../../data/queries.ts';
import { useContractForm } from '../../form/contractForm.ts';
import { type Controlled, textOf, useField } from '../../form/fields.tsx';
import { LeaveGuard } from '../../form/LeaveGuard.tsx';
import { Button } from '../../ui/controls/Button.tsx';
import { Field } from '../../ui/controls/Field.tsx';
import { PasswordInput } from '../../ui/controls/PasswordInput.tsx';
import { Alert } from '../../ui/layout/Alert.tsx';
import { Card } from '../../ui/layout/Card.tsx';

/** The administrator's password; where the settings of the gateway say it, only that is told. */
export function PasswordCard() {
  const { data } = useRead('session.password', {});
  return (
    <Card title="Password" description="Changing it ends all other sessions. API tokens stay.">
      {data === undefined ? null : data.problem === null ? <PasswordForm /> : <Alert>{data.problem}</Alert>}
    </Card>
  );
}

function PasswordForm() {
  const change = useWrite('session.changePassword', { done: 'Password changed' });
  const { form, frame } = useContractForm({
    schema: passwordInput,
    row: undefined,
    valuesOf: () => ({ currentPassword: '', newPassword: '' }),
    save: (body) => change.mutateAsync({ body }),
    done: () => form.reset(),
  });
  return (
    <form noValidate className="flex max-w-88 flex-col gap-4" onSubmit={frame.onSubmit}>
      <LeaveGuard isChanged={frame.isChanged} />
      {frame.problem === undefined ? null : <Alert type="error">{frame.problem}</Alert>}
      <PasswordField control={form.control} name="currentPassword" label="Current password" />
      <PasswordField
        control={form.control}
        name="newPassword"
        label="New password"
        hint={`At least ${PASSWORD_MIN_CHARS} characters.`}
        autoComplete="new-password"
      />
      <div>
        <Button type="submit" variant="info" loading={frame.busy}>
          Change Password
        </Button>
      </div>
    </form>
  );
}

/** A secret, as it is typed. */
export function PasswordField<V extends FieldValues, Out>({
  control,
  name,
  label,
  hint,
  required = true,
  ...input
}: Controlled<V, Out> & Pick<ComponentProps<'input'>, 'autoComplete' | 'placeholder'> & { required?: boolean }) {
  const { field, value, change, error } = useField({ control, name, label });
  return (
    <Field label={label} hint={hint} error={error?.message} required={required}>
      <PasswordInput {...input} {...field} value={textOf(value)} onChange={(event) => change(event.target.value)} />
    </Field>
  );
}
