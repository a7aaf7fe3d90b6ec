import { formatDate } from '@sallyport/sdk';
import {
  apiTokenAttributes,
  apiTokenInput,
  type CreatedApiToken,
  type Right,
  rightKinds,
  rights,
} from '@sallyport/sdk/contract';
import { tokenExpiryProblem } from '@sallyport/sdk/rules';
import { Link } from '@tanstack/react-router';
import { Fragment, useId } from 'react';
import type { FieldValues } from 'react-hook-form';
import { links, OutsideLink } from '../../data/links.tsx';
import { useShowNew } from '../../data/newRow.ts';
import { NodesField } from '../../data/NodesField.tsx';
import { useWrite } from '../../data/queries.ts';
import { RelativeTime } from '../../data/RelativeTime.tsx';
import { formValues, useContractForm } from '../../form/contractForm.ts';
import { DateField } from '../../form/DateField.tsx';
import { type Controlled, rowErrors, TextField, useField } from '../../form/fields.tsx';
import { FormDialog } from '../../form/FormDialog.tsx';
import { useNow } from '../../state/browser.ts';
import { ReadonlyField } from '../../ui/controls/ReadonlyField.tsx';
import { Field } from '../../ui/controls/Field.tsx';
import { Select } from '../../ui/controls/TextInput.tsx';
import { Facts } from '../../ui/layout/Facts.tsx';
import { OnceDialog } from '../../ui/overlays/OnceDialog.tsx';

/** How often it is looked which day it is. */
const TICK_MS = 60_000;

/** Makes an API token. */
export function ApiTokenFormDialog({ onClose }: { onClose: (created?: CreatedApiToken) => void }) {
  const showNew = useShowNew();
  const create = useWrite('apiToken.create');
  const now = useNow(TICK_MS);
  const { form, frame } = useContractForm({
    schema: apiTokenInput,
    row: undefined,
    valuesOf: () => formValues(apiTokenAttributes, {}),
    // No node chosen is no limit.
    hidden: ({ nodes }) => (Array.isArray(nodes) && nodes.length === 0 ? { nodes: undefined } : {}),
    rules: ({ scope, expireAt }) => [
      scope.length === 0 ? { field: 'scope', message: 'Choose at least one right.' } : null,
      tokenExpiryProblem(expireAt, new Date()),
    ],
    save: (body) => create.mutateAsync({ body }),
    done(created) {
      const { id, name } = created;
      showNew({ name, lists: { 'API Tokens': id }, link: <Link to="/settings" search={{ tokensSearch: name }} /> });
      onClose(created);
    },
  });
  return (
    <FormDialog {...frame} small onClose={() => onClose()} title="Add API Token">
      <TextField control={form.control} name="name" label="Name" required placeholder="What will use it, like ci" />
      <ScopeField control={form.control} name="scope" />
      <NodesField
        control={form.control}
        name="nodes"
        label="Only these nodes (Optional)"
        addLabel="Limit it to a node"
        hint="Without a choice it is for all nodes."
        withLocal
      />
      <DateField
        control={form.control}
        name="expireAt"
        label="Expire At (Optional)"
        placeholder="Select a date"
        calendarLabel="Day of expiry"
        unset="Never"
        hint="From then on it is refused."
        earliest={now}
      />
    </FormDialog>
  );
}

const SCOPE_LABEL = 'Rights';
type Kind = keyof typeof rightKinds;
const KINDS = Object.entries(rightKinds) as [Kind, string][];
const LEVELS = { '': 'No access', read: 'Read', write: 'Read and write' } as const;

/** What may be chosen for a kind of object. */
const levelsOf = (kind: Kind) =>
  Object.entries(LEVELS).flatMap(([value, label]) =>
    value === '' || (rights as readonly string[]).includes(`${kind}:${value}`) ? [{ value, label }] : [],
  );

/** For each kind of object, whether the token reads or writes it. */
function ScopeField<V extends FieldValues, Out>({ control, name }: Pick<Controlled<V, Out>, 'control' | 'name'>) {
  const { field, value, change, error } = useField({ control, name, label: SCOPE_LABEL });
  const id = useId();
  const scope = Array.isArray(value) ? (value as Right[]) : [];
  const levelOf = (kind: Kind) => scope.find((right) => right.startsWith(`${kind}:`))?.split(':')[1] ?? '';
  const choose = (kind: Kind, level: string) => {
    const others = scope.filter((right) => !right.startsWith(`${kind}:`));
    change(level === '' ? others : [...others, `${kind}:${level}`]);
  };
  const problem = rowErrors(error)?.find((message) => message) ?? error?.message;
  return (
    <Field as="group" label={SCOPE_LABEL} error={problem} required>
      <div className="grid grid-cols-[minmax(0,1fr)_10rem] items-center gap-x-3 gap-y-2">
        {KINDS.map(([kind, label], index) => (
          <Fragment key={kind}>
            <label htmlFor={`${id}${kind}`} className="text-sm text-pretty">
              {label}
            </label>
            <Select
              id={`${id}${kind}`}
              {...(index === 0 && { ref: field.ref })}
              // What is wrong is wrong with all of them, and said once.
              aria-invalid={undefined}
              value={levelOf(kind)}
              options={levelsOf(kind)}
              onBlur={field.onBlur}
              onChange={(event) => choose(kind, event.target.value)}
            />
          </Fragment>
        ))}
      </div>
    </Field>
  );
}

type ApiTokenResultDialogProps = { created: CreatedApiToken; onClose: () => void };

/** Shows a new API token, the only time that it can be seen. */
export function ApiTokenResultDialog({ created: { name, expireAt, token }, onClose }: ApiTokenResultDialogProps) {
  return (
    <OnceDialog
      what="token"
      onClose={onClose}
      title="New API Token"
      description="The token was created. Store it securely now: it is not shown again."
    >
      <div className="flex flex-col gap-4">
        <Facts
          items={[
            { label: 'Name', value: name },
            ...(expireAt === null
              ? []
              : [{ label: 'Expires', value: <RelativeTime at={expireAt}>{formatDate(expireAt)}</RelativeTime> }]),
          ]}
        />
        <ReadonlyField label="Token" value={token} copyLabel="Copy the token" />
        <p className="text-sm text-muted">
          A program sends it as <code>Authorization: Bearer</code>. The{' '}
          <OutsideLink to={links.cli} className="link">
            CLI tool
          </OutsideLink>{' '}
          takes it from <code>SALLYPORT_TOKEN</code> or with <code>login --token-file</code>.
        </p>
      </div>
    </OnceDialog>
  );
}
