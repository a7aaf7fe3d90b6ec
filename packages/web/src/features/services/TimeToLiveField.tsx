import { useState } from 'react';
import type { FieldValues } from 'react-hook-form';
import { type Controlled, textOf, useField } from '../../form/fields.tsx';
import { useNow } from '../../state/browser.ts';
import { Field } from '../../ui/controls/Field.tsx';
import { Select, TextInput } from '../../ui/controls/TextInput.tsx';
import { timeLeft } from './serviceDetails.tsx';

const LABEL = 'Time to Live';
const AS_IT_IS = 'as-it-is';
const OTHER = 'other';
/** A time that is still to be typed: not nothing, which would mean no limit. */
const UNTYPED = ' ';

const TIMES = [
  { value: '', label: 'No limit' },
  { value: '1h', label: '1 hour' },
  { value: '8h', label: '8 hours' },
  { value: '1d', label: '1 day' },
  { value: '7d', label: '7 days' },
  { value: OTHER, label: 'Another time' },
];

/** How long a service stays open, in a few words; the value is the field's. */
export function timeToLiveSummary(ttl: string | undefined, expiresAt: string | null, now: Date): string {
  if (ttl === undefined && expiresAt !== null) return `closes ${timeLeft(expiresAt, now)}`;
  const known = TIMES.find(({ value }) => value === (ttl ?? ''));
  return known?.label.toLowerCase() ?? (ttl?.trim() || 'another time');
}

type TimeToLiveFieldProps<V extends FieldValues, Out> = Omit<Controlled<V, Out>, 'label' | 'hint'> & {
  /** When the service closes as things stand; null: never. */
  expiresAt: string | null;
};

/**
 * How long a service stays open from its saving on; `""` is for ever. Undefined leaves the time alone, which is what a
 * form says that was opened for something else.
 */
export function TimeToLiveField<V extends FieldValues, Out>({
  control,
  name,
  expiresAt,
}: TimeToLiveFieldProps<V, Out>) {
  const { field, value, change, error } = useField({ control, name, label: LABEL });
  const [isOther, setOther] = useState(false);
  const now = useNow();
  const kept = expiresAt === null ? [] : [{ value: AS_IT_IS, label: `As it is: closes ${timeLeft(expiresAt, now)}` }];
  const choose = (chosen: string) => {
    setOther(chosen === OTHER);
    change(chosen === AS_IT_IS ? undefined : chosen === OTHER ? UNTYPED : chosen);
  };
  const unsaid = expiresAt === null ? '' : AS_IT_IS;
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field
        label={LABEL}
        hint="Counted from saving on; then the service closes by itself."
        error={isOther ? undefined : error?.message}
      >
        <Select
          {...(isOther ? {} : field)}
          options={[...kept, ...TIMES]}
          value={isOther ? OTHER : value === undefined ? unsaid : textOf(value)}
          onChange={(event) => choose(event.target.value)}
        />
      </Field>
      {isOther ? (
        <Field label="How Long" hint="A number and s, m, h or d: 30m, 2h, 3d." error={error?.message} required>
          <TextInput
            {...field}
            autoComplete="off"
            spellCheck={false}
            mono
            placeholder="2h"
            value={textOf(value).trim()}
            onChange={(event) => change(event.target.value.trim() || UNTYPED)}
          />
        </Field>
      ) : null}
    </div>
  );
}
