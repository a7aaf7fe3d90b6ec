import { ApiError } from '@sallyport/sdk';
import type { Problem } from '@sallyport/sdk/contract';
import { useForm, type DefaultValues, type FieldValues, type Path, type UseFormReturn } from 'react-hook-form';
import type { SubmitEvent } from 'react';
import { contractResolver, type Schema, type SchemaOutput } from './contractResolver.ts';

const CHANGED_MEANWHILE =
  'Somebody else has changed this in the meantime, and nothing was saved. Close the form, open it again and repeat your change.';

type ContractFormOptions<V extends FieldValues, S extends Schema, Saved> = {
  /** The contract's schema of the request's body. */
  schema: S;
  /** What the form starts with: a value for each of its fields. */
  values: V;
  /** Findings that need more than the form's own fields. */
  rules?: ((values: V) => readonly (Problem | null)[]) | undefined;
  /** The call. Its failure is shown (by the policy of the console, or beside the fields) and goes no further. */
  save: (body: SchemaOutput<S>) => Promise<Saved>;
  done: (saved: Saved) => void;
};

export type ContractForm<V extends FieldValues, Out> = {
  form: UseFormReturn<V, unknown, Out>;
  onSubmit: (event: SubmitEvent<HTMLFormElement>) => void;
  /** The call is under way. */
  busy: boolean;
  /** What the gateway found wrong beyond the form's fields. */
  problem: string | undefined;
};

/**
 * A form over the contract: a field is validated when it is left and from then on while it is changed, the whole form
 * on submit; the gateway's 422 lands beside the fields.
 */
export function useContractForm<V extends FieldValues, S extends Schema, Saved>({
  schema,
  values,
  rules,
  save,
  done,
}: ContractFormOptions<V, S, Saved>): ContractForm<V, SchemaOutput<S>> {
  const form = useForm<V, unknown, SchemaOutput<S>>({
    mode: 'onTouched',
    defaultValues: values as DefaultValues<V>,
    resolver: contractResolver<V, S>(schema, rules),
  });

  const submit = form.handleSubmit(async (body) => {
    let saved: Saved;
    try {
      saved = await save(body);
    } catch (error) {
      if (error instanceof ApiError && error.kind === 'invalid') showProblems(form, error.problems);
      if (error instanceof ApiError && error.kind === 'conflict') {
        form.setError('root', { type: 'server', message: CHANGED_MEANWHILE });
      }
      return;
    }
    done(saved);
  });

  return {
    form,
    onSubmit: (event) => void submit(event),
    busy: form.formState.isSubmitting,
    problem: form.formState.errors.root?.message,
  };
}

/** Puts each problem beside its field, the first one in focus, and what belongs to no field above the form. */
function showProblems<V extends FieldValues, Out>(
  form: UseFormReturn<V, unknown, Out>,
  problems: readonly Problem[],
): void {
  const fields = Object.keys(form.getValues());
  const strays: string[] = [];
  let focused = false;
  for (const { field, message } of problems) {
    if (fields.includes(field.split('.')[0] ?? '')) {
      form.setError(field as Path<V>, { type: 'server', message }, { shouldFocus: !focused });
      focused = true;
    } else {
      strays.push(field ? `${field}: ${message}` : message);
    }
  }
  if (strays.length > 0) form.setError('root', { type: 'server', message: strays.join('\n') });
}
