import { useState } from 'react';
import type { FieldValues } from 'react-hook-form';
import { useRead } from '../../data/read.ts';
import { sslName } from '../../data/sslName.ts';
import type { Controlled } from '../../form/controlled.ts';
import { textOf } from '../../form/textOf.ts';
import { useField } from '../../form/useField.ts';
import { Autocomplete } from '../../ui/controls/Autocomplete.tsx';
import { Field } from '../../ui/controls/Field.tsx';

const SUGGESTIONS = 20;

/** A public domain name; the gateway's own domains are suggested, any other is allowed too. */
export function DomainField<V extends FieldValues, Out>({ control, name, label, hint, disabled }: Controlled<V, Out>) {
  const { field, value, change, error } = useField({ control, name, label });
  const [search, setSearch] = useState<string | null>(null);
  const { data, isFetching } = useRead(
    'domain.list',
    { query: { ...(search ? { search } : {}), page: 1, limit: SUGGESTIONS } },
    { enabled: search !== null, keep: true },
  );
  return (
    <Field label={label} hint={hint} error={error?.message}>
      <Autocomplete
        mono
        {...field}
        disabled={disabled}
        value={textOf(value)}
        onValueChange={change}
        onQueryChange={setSearch}
        loading={isFetching}
        options={data?.data.map(({ domain, ssl }) => ({ value: domain, note: sslName[ssl] })) ?? []}
        placeholder="app.example.com"
      />
    </Field>
  );
}
