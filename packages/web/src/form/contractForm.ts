import { ApiError, isApiError } from '@sallyport/sdk';
import { check, type Attributes, type Filled, type Problem } from '@sallyport/sdk/contract';
import { useState, type SubmitEvent } from 'react';
import { flushSync } from 'react-dom';
import {
  get,
  set,
  useForm,
  type DefaultValues,
  type FieldErrors,
  type FieldValues,
  type Path,
  type UseFormReturn,
} from 'react-hook-form';
import { chosenValues, differencesOf, spoken, type Versions } from './Differences.tsx';
import { shownFieldsOf } from './fields.tsx';
import type { FormFrame } from './FormDialog.tsx';
import { whatToEnter } from './whatToEnter.ts';

/** A schema of the contract. */
type Schema = Parameters<typeof check>[0];
/** What the contract makes of a checked value. */
type SchemaOutput<S extends Schema> = Extract<ReturnType<typeof check<S>>, { ok: true }>['value'];

/** What a form is checked by. */
type FormChecks<V extends FieldValues, S extends Schema> = {
  /** The contract's schema of the request's body. */
  schema: S;
  /** Findings that need more than the form's own fields; they speak before the schema. */
  rules?: ((values: V) => readonly (Problem | null)[]) | undefined;
  /**
   * What counts instead of the values of fields that are not on the screen and mean nothing now. What was typed stays
   * in the form, for when they are shown again.
   */
  hidden?: ((values: V) => { [K in keyof V]?: V[K] | undefined }) | undefined;
  /** The form's own field for one that the contract or the gateway names otherwise. */
  placeOf?: ((field: string) => string) | undefined;
};

type ContractFormOptions<V extends FieldValues, S extends Schema, Row, Saved> = FormChecks<V, S> & {
  /** What is edited; undefined: something new is made. */
  row: Row | undefined;
  /** The form's values for a row, and for something new: a value for each of its fields. */
  valuesOf: (row: Row | undefined) => V;
  /** Reads the row as it is stored now, for who edits second. */
  read?: ((row: Row) => Promise<Row>) | undefined;
  /** Fields that are how the form is looked at: a change of these alone is nothing to lose. */
  asides?: readonly (keyof V & string)[];
  /** Makes the field of a problem visible where it can be; false: it cannot. */
  reveal?: ((field: string) => boolean) | undefined;
  /**
   * The call, with the version of the row that is given. Its failure is shown (by the policy of the console, or next to
   * the fields) and goes no further.
   */
  save: (body: SchemaOutput<S>, row: Row | undefined) => Promise<Saved>;
  done: (saved: Saved) => void;
};

/** A form, and what its dialog needs of it. */
export type ContractForm<V extends FieldValues, Out> = { form: UseFormReturn<V, unknown, Out>; frame: FormFrame };

/** The row that Save is about, and the edit that was saved before this one. */
type Editing<V, Row> = {
  row: Row | undefined;
  conflict: (Versions<V> & { latest: Row; kept: 'mine' | 'theirs' | null }) | null;
};

const DELETED =
  'This was deleted while the form was open, so it cannot be saved. What you typed stays here until you close the form.';
const NOT_READ =
  'Someone else changed this while the form was open, and nothing was saved. What is stored now could not be read: save again to try once more.';

/**
 * A form over the contract: a field is validated when it is left with what was typed, and from then on while it is changed, the whole form
 * on submit; the gateway's 422 is shown at the fields, and above the form where a field is not shown. When someone else
 * was first (412), both edits are shown, and the form goes on from what is stored.
 */
export function useContractForm<V extends FieldValues, S extends Schema, Row, Saved>({
  row,
  valuesOf,
  read,
  asides = [],
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
    resolver(values) {
      const { value, problems } = checkForm(checks, values);
      if (value !== null) return { values: value, errors: {} };
      const errors: FieldErrors<V> = {};
      // The first problem of a field is the one that is shown.
      for (const { field, message } of problems)
        if (!get(errors, field)) set(errors, field, { type: 'contract', message });
      return { values: {}, errors };
    },
  });
  const shown = shownFieldsOf(form.control);
  const isShown = (field: string) => shown.shows(field, form.getValues());
  const isOurs = (field: string) => (field.split('.')[0] ?? '') in form.getValues();
  const tell = (message: string) => form.setError('root', { type: 'server', message });

  /** Puts each problem at its field, the first one that is shown in focus. */
  const showAtFields = (problems: readonly Problem[]) => {
    // Two names of the gateway may be one field here.
    for (const [field, found] of Map.groupBy(problems, (problem) => problem.field)) {
      if (!isOurs(field)) continue;
      const message = [...new Set(found.map((problem) => problem.message))].join(' ');
      form.setError(field as Path<V>, { type: 'server', message });
    }
    const first = problems.find(({ field }) => isOurs(field) && isShown(field));
    // It waits until a group that was folded is drawn open; the error itself could not.
    if (first) form.setFocus(first.field as Path<V>);
  };

  /** Tells above the form what is wrong with fields that are not shown; focuses the first that can be made visible. */
  const tellHidden = (problems: readonly Problem[]) => {
    const hidden = problems.filter(({ field }) => field === '' || !isShown(field));
    // A field that is made visible is drawn before it gets the focus.
    const strays = hidden.filter(({ field }) => field === '' || !flushSync(() => reveal(field)));
    if (strays.length > 0) {
      // What the form does not have is called as the gateway calls it.
      const nameOf = (field: string) => (isOurs(field) ? shown.labelOf(field) : field);
      tell(strays.map(({ field, message }) => (field === '' ? message : `${nameOf(field)}: ${message}`)).join('\n'));
    }
    const revealed = hidden.find((problem) => !strays.includes(problem));
    if (revealed) form.setFocus(revealed.field as Path<V>);
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
          const problems = error.problems.map((problem) => shownProblem(problem, placeOf));
          showAtFields(problems);
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

  const { conflict } = editing;
  return {
    form,
    frame: {
      onSubmit: (event: SubmitEvent<HTMLFormElement>) => void submit(event),
      busy: form.formState.isSubmitting,
      isChanged() {
        const base = valuesOf(editing.row);
        const changed = differencesOf({ base, theirs: base, mine: form.getValues() });
        return changed.some(({ field }) => !asides.includes(field));
      },
      problem: form.formState.errors.root?.message,
      conflict: conflict && {
        kept: conflict.kept,
        rows: differencesOf(conflict).map(({ field, now, mine }) => ({
          label: shown.labelOf(field),
          left: spoken(now),
          right: mine === undefined ? null : spoken(mine),
        })),
        onChoose(kept) {
          form.reset({ ...form.getValues(), ...chosenValues(conflict, kept) });
          setEditing({ row: conflict.latest, conflict: { ...conflict, kept } });
        },
      },
    },
  };
}

/** What is wrong with the values of a form, and the body that they make when nothing is. */
function checkForm<V extends FieldValues, S extends Schema>(
  { schema, rules = () => [], hidden = () => ({}), placeOf = (field) => field }: FormChecks<V, S>,
  typed: V,
): { value: SchemaOutput<S> | null; problems: Problem[] } {
  const values = { ...typed, ...hidden(typed) };
  const checked = check(schema, values);
  const problems = [...rules(values).filter((problem) => problem !== null), ...(checked.ok ? [] : checked.problems)];
  return {
    value: checked.ok && problems.length === 0 ? checked.value : null,
    problems: problems.map((problem) => shownProblem(problem, placeOf)),
  };
}

/** A problem at the form's own field, in words that say what to enter. */
const shownProblem = (problem: Problem, placeOf: (field: string) => string): Problem => ({
  field: placeOf(problem.field),
  message: whatToEnter(problem),
});

// A number is text while it is typed; what a form cannot show as nothing, a list or a text, is never null in it.
type FormValue<V> =
  NonNullable<V> extends infer Value
    ? Value extends number
      ? number | string | null
      : Value extends readonly unknown[] | string | boolean
        ? Value
        : { [Part in keyof Value]: FormValue<Value[Part]> }
    : never;

/** The values of a form over a table of attributes. */
export type FormValues<A extends Attributes> = { [K in keyof A]: FormValue<Filled<A>[K]> };

/**
 * What a form starts with: the row that is edited, or what a new one starts with. A field that the contract gains is
 * here by itself.
 */
export function formValues<A extends Attributes>(attributes: A, from: Partial<Filled<A>>): FormValues<A> {
  const entries = Object.entries(attributes).map(([name, { blank }]) => [name, from[name] ?? structuredClone(blank)]);
  return Object.fromEntries(entries) as FormValues<A>;
}
