import { ApiError, isApiError } from '@sallyport/sdk';
import type { Problem } from '@sallyport/sdk/contract';
import { useState, type SubmitEvent } from 'react';
import { useForm, type DefaultValues, type FieldValues, type Path, type UseFormReturn } from 'react-hook-form';
import { checkForm, contractResolver, type FormChecks, type Schema, type SchemaOutput } from './contractResolver.ts';
import { chosenValues, differencesOf, type Versions } from './editConflict.ts';
import type { FormProblems } from './FormProblem.tsx';
import { shownFieldsOf } from './shownFields.ts';
import { spoken } from './spoken.ts';

const DELETED =
  'This was deleted while the form was open, so it cannot be saved. What you typed stays here until you close the form.';
const NOT_READ =
  'Someone else changed this while the form was open, and nothing was saved. What is stored now could not be read: save again to try once more.';

type ContractFormOptions<V extends FieldValues, S extends Schema, Row, Saved> = FormChecks<V, S> & {
  /** What is edited; undefined: something new is made. */
  row: Row | undefined;
  /** The form's values for a row, and for something new: a value for each of its fields. */
  valuesOf: (row: Row | undefined) => V;
  /** Reads the row as it is stored now, for who edits second. */
  read?: ((row: Row) => Promise<Row>) | undefined;
  /** Makes the field of a problem visible where it can be; false: it cannot. */
  reveal?: ((field: string) => boolean) | undefined;
  /**
   * The call, with the version of the row that is given. Its failure is shown (by the policy of the console, or next to
   * the fields) and goes no further.
   */
  save: (body: SchemaOutput<S>, row: Row | undefined) => Promise<Saved>;
  done: (saved: Saved) => void;
};

export type ContractForm<V extends FieldValues, Out> = {
  form: UseFormReturn<V, unknown, Out>;
  onSubmit: (event: SubmitEvent<HTMLFormElement>) => void;
  /** The call is under way. */
  busy: boolean;
  /** What is wrong beyond the fields that are shown. */
  problem: FormProblems;
};

/** The row that Save is about, and the edit that was saved before this one. */
type Editing<V, Row> = {
  row: Row | undefined;
  conflict: (Versions<V> & { latest: Row; kept: 'mine' | 'theirs' | null }) | null;
};

/**
 * A form over the contract: a field is validated when it is left and from then on while it is changed, the whole form
 * on submit; the gateway's 422 is shown at the fields, and above the form where a field is not shown. When someone else
 * was first (412), both edits are shown, and the form goes on from what is stored.
 */
export function useContractForm<V extends FieldValues, S extends Schema, Row, Saved>({
  row,
  valuesOf,
  read,
  reveal = () => false,
  save,
  done,
  ...checks
}: ContractFormOptions<V, S, Row, Saved>): ContractForm<V, SchemaOutput<S>> {
  const { placeOf = (field: string) => field } = checks;
  const [editing, setEditing] = useState<Editing<V, Row>>({ row, conflict: null });
  const form = useForm<V, unknown, SchemaOutput<S>>({
    mode: 'onTouched',
    defaultValues: valuesOf(row) as DefaultValues<V>,
    resolver: contractResolver<V, S>(checks),
  });
  const shown = shownFieldsOf(form.control);
  // What the form does not have is called as the gateway calls it.
  const nameOf = (field: string) => ((field.split('.')[0] ?? '') in form.getValues() ? shown.labelOf(field) : field);
  const tell = (message: string) => form.setError('root', { type: 'server', message });

  /** Tells above the form what is wrong with fields that are not shown; focuses the first that can be made visible. */
  const tellHidden = (problems: readonly Problem[]) => {
    const hidden = problems.filter(({ field }) => field === '' || !shown.shows(field, form.getValues()));
    const [revealed, strays] = [[] as string[], [] as string[]];
    for (const { field, message } of hidden) {
      if (field !== '' && reveal(field)) revealed.push(field);
      else strays.push(field === '' ? message : `${nameOf(field)}: ${message}`);
    }
    if (strays.length > 0) tell(strays.join('\n'));
    const [first] = revealed;
    // It is drawn first.
    if (first !== undefined) setTimeout(() => form.setFocus(first as Path<V>));
  };

  const tellConflict = async (before: Row) => {
    try {
      const latest = await (read ?? (() => Promise.reject(new Error('There is no way to read it'))))(before);
      const versions = { base: valuesOf(before), theirs: valuesOf(latest), mine: form.getValues() };
      setEditing({ row: before, conflict: { ...structuredClone(versions), latest, kept: null } });
    } catch (error) {
      tell(isApiError(error, 'missing') ? DELETED : NOT_READ);
    }
  };

  const submit = form.handleSubmit(
    async (body) => {
      let saved: Saved;
      try {
        saved = await save(body, editing.row);
      } catch (error) {
        if (!(error instanceof ApiError)) return;
        if (error.kind === 'invalid') {
          const problems = error.problems.map(({ field, message }) => ({ field: placeOf(field), message }));
          showProblems(form, problems, (field) => shown.shows(field, form.getValues()));
          tellHidden(problems);
        }
        if (error.status === 412 && editing.row !== undefined) await tellConflict(editing.row);
        if (error.kind === 'missing') tell(editing.row === undefined ? error.message : DELETED);
        return;
      }
      done(saved);
    },
    () => tellHidden(checkForm(checks, form.getValues()).problems),
  );

  const choose = (whose: 'mine' | 'theirs') => {
    const { conflict } = editing;
    if (conflict === null) return;
    form.reset({ ...form.getValues(), ...chosenValues(conflict, whose) });
    setEditing({ row: conflict.latest, conflict: { ...conflict, kept: whose } });
  };

  const { conflict } = editing;
  return {
    form,
    onSubmit: (event) => void submit(event),
    busy: form.formState.isSubmitting,
    problem: {
      text: form.formState.errors.root?.message,
      conflict: conflict && {
        kept: conflict.kept,
        rows: differencesOf(conflict).map(({ field, now, mine }) => ({
          label: shown.labelOf(field),
          left: spoken(now),
          right: mine === undefined ? null : spoken(mine),
        })),
        onChoose: choose,
      },
    },
  };
}

/** Puts each problem at its field, the first one that is shown in focus. */
function showProblems<V extends FieldValues, Out>(
  form: UseFormReturn<V, unknown, Out>,
  problems: readonly Problem[],
  shows: (field: string) => boolean,
): void {
  const fields = Object.keys(form.getValues());
  let focused = false;
  // Two names of the gateway may be one field here.
  for (const [field, found] of Map.groupBy(problems, (problem) => problem.field)) {
    const message = [...new Set(found.map((problem) => problem.message))].join(' ');
    if (!fields.includes(field.split('.')[0] ?? '')) continue;
    const shouldFocus: boolean = !focused && shows(field);
    form.setError(field as Path<V>, { type: 'server', message }, { shouldFocus });
    focused ||= shouldFocus;
  }
}
