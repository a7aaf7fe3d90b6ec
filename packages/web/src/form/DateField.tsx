import { formatDate } from '@sallyport/sdk';
import { X } from 'lucide-react';
import { type MouseEvent, useState } from 'react';
import type { FieldValues } from 'react-hook-form';
import { Chips } from '../ui/controls/Chips.tsx';
import { Field } from '../ui/controls/Field.tsx';
import { IconButton } from '../ui/controls/IconButton.tsx';
import { TextInput } from '../ui/controls/TextInput.tsx';
import { lazyPart, PartFailed } from '../ui/overlays/lazyPart.tsx';
import { type Controlled, useField } from './fields.tsx';

// The form is there before its calendar.
const Calendar = lazyPart(
  async () => (await import('../ui/controls/Calendar.tsx')).Calendar,
  ({ retry }) => (
    <div className="w-full self-center">
      <PartFailed what="The calendar" onRetry={retry} />
    </div>
  ),
);

type DateFieldProps<V extends FieldValues, Out> = Controlled<V, Out> & {
  /** Accessible name of the calendar. */
  calendarLabel: string;
  placeholder?: string | undefined;
  /** Days before this moment's cannot be chosen. */
  earliest: Date;
  /** The choice that is no date: what the gateway does then. */
  unset: string;
  /** The calendar always stands there, and not only once another date is asked for. */
  isCalendarFixed?: boolean;
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The ends that are asked for most, from now on. */
const PRESETS: Readonly<Record<string, number>> = {
  '1 hour': HOUR_MS,
  '1 day': DAY_MS,
  '7 days': 7 * DAY_MS,
  '30 days': 30 * DAY_MS,
  '1 year': 365 * DAY_MS,
};

const DATE = 'Choose a date';
/** A date that is still to be chosen: not nothing, which would mean something else. */
const UNCHOSEN = 'unchosen';

/** Brings the whole calendar into view when it unfolds. */
const intoView = (element: HTMLElement | null) => element?.scrollIntoView({ block: 'nearest' });

/** How far ahead the calendar goes. */
const YEARS = 10;

/**
 * An end: a time from now on, or a day chosen from a calendar, which is its last moment in the reader's zone. The value is
 * ISO 8601, or `""` for none.
 */
export function DateField<V extends FieldValues, Out>({
  control,
  name,
  label,
  hint,
  calendarLabel,
  earliest,
  placeholder,
  unset,
  isCalendarFixed = false,
}: DateFieldProps<V, Out>) {
  const { field, value, change, error } = useField({ control, name, label });
  const [chosen, setChosen] = useState(unset);
  const isSet = typeof value === 'string' && value !== '' && value !== UNCHOSEN;
  const moment = isSet ? new Date(value) : undefined;
  const options = [...new Set([...Object.keys(PRESETS), unset, ...(isCalendarFixed ? [] : [DATE])])];
  const choose = (choice: string) => {
    setChosen(choice);
    const ms = PRESETS[choice];
    if (choice === unset) change('');
    else if (ms !== undefined) change(new Date(Date.now() + ms).toISOString());
    else if (!isSet) change(UNCHOSEN);
  };
  const pick = (day: Date | undefined) => {
    setChosen(isCalendarFixed && day === undefined ? unset : DATE);
    change(day === undefined && !isCalendarFixed ? UNCHOSEN : endOfDay(day));
  };
  const clear = (event: MouseEvent<HTMLElement>) => {
    // The button goes away with the date; the focus stays here.
    event.currentTarget.parentElement?.querySelector('input')?.focus();
    pick(undefined);
  };
  return (
    <Field
      as={isCalendarFixed ? 'field' : 'group'}
      label={label}
      hint={hint}
      error={value === UNCHOSEN && error ? 'Choose a date, or another end.' : error?.message}
    >
      <Chips
        label={typeof label === 'string' ? label : calendarLabel}
        options={options.map((option) => ({ value: option, label: option }))}
        value={chosen}
        onChange={choose}
      />
      {isCalendarFixed || chosen === DATE ? (
        <div
          ref={isCalendarFixed ? null : intoView}
          className="mt-2 flex flex-col gap-2 rounded-md border border-line p-2"
        >
          <div className="flex items-center gap-1">
            <TextInput
              {...field}
              aria-label={isCalendarFixed ? undefined : 'Date'}
              readOnly
              value={moment === undefined ? '' : formatDate(moment)}
              placeholder={placeholder}
            />
            {moment === undefined ? null : (
              <IconButton label="Clear the date" icon={<X size={16} aria-hidden />} onClick={clear} />
            )}
          </div>
          {/* Six weeks of 36 px under their names and the month's: nothing moves when the calendar comes. */}
          <div className="flex min-h-73 justify-center">
            <Calendar
              label={calendarLabel}
              selected={moment}
              onSelect={pick}
              earliest={earliest}
              latest={new Date(earliest.getFullYear() + YEARS, 11)}
            />
          </div>
        </div>
      ) : null}
    </Field>
  );
}

/** The last moment of a day in the reader's own zone, as ISO 8601; `""` for no day. */
function endOfDay(day: Date | undefined): string {
  if (day === undefined) return '';
  const end = new Date(day);
  end.setHours(23, 59, 59, 999);
  return end.toISOString();
}
