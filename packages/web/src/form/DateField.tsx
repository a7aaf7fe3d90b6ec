import { formatDate } from '@sallyport/sdk';
import { X } from 'lucide-react';
import type { MouseEvent } from 'react';
import type { FieldValues } from 'react-hook-form';
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
};

/** How far ahead the calendar goes. */
const YEARS = 10;

/** A day, chosen from a calendar; its value is the last moment of that day in the reader's zone as ISO 8601, or `""`. */
export function DateField<V extends FieldValues, Out>({
  control,
  name,
  label,
  hint,
  calendarLabel,
  earliest,
  placeholder,
}: DateFieldProps<V, Out>) {
  const { field, value, change, error } = useField({ control, name, label });
  const moment = typeof value === 'string' && value !== '' ? new Date(value) : undefined;
  const clear = (event: MouseEvent<HTMLElement>) => {
    // The button goes away with the date; the focus stays here.
    event.currentTarget.parentElement?.querySelector('input')?.focus();
    change('');
  };
  return (
    <Field label={label} hint={hint} error={error?.message}>
      <div className="flex flex-col gap-2 rounded-md border border-line p-2">
        <div className="flex items-center gap-1">
          <TextInput
            {...field}
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
            onSelect={(day) => change(endOfDay(day))}
            earliest={earliest}
            latest={new Date(earliest.getFullYear() + YEARS, 11)}
          />
        </div>
      </div>
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
