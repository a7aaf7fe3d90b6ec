import { ChevronDown, ChevronLeft, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { DayPicker } from 'react-day-picker';

const ARROWS = { left: ChevronLeft, right: ChevronRight, up: ChevronDown, down: ChevronDown };

function Arrow({ orientation = 'right' }: { orientation?: keyof typeof ARROWS | undefined }) {
  const Icon = ARROWS[orientation];
  return <Icon size={16} aria-hidden />;
}

/** The name of a day has the number in it that is seen, so that one can say it to the browser. */
function nameOf(
  day: Date,
  { today, selected }: { today?: boolean | undefined; selected?: boolean | undefined },
): string {
  const name = day.toLocaleDateString('en-US', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
  return `${today ? 'Today, ' : ''}${name}${selected ? ', selected' : ''}`;
}

const STEP =
  'inline-flex size-8 items-center justify-center rounded-sm text-muted hover:bg-hover hover:text-ink aria-disabled:pointer-events-none aria-disabled:opacity-40';

const LOOKS = {
  root: 'w-fit max-w-full',
  months: 'relative',
  nav: 'absolute inset-x-0 top-0 flex justify-between',
  button_previous: STEP,
  button_next: STEP,
  month_caption: 'flex h-8 items-center justify-center',
  dropdowns: 'flex items-center gap-1',
  // The browser's own select lies unseen over its text.
  dropdown_root:
    'relative inline-flex rounded-xs has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent',
  dropdown: 'absolute inset-0 w-full cursor-pointer opacity-0',
  caption_label: 'inline-flex h-7 items-center gap-1 rounded-xs px-1.5 text-sm font-medium [&_svg]:text-muted',
  month_grid: 'mt-1 border-collapse',
  weekday: 'size-9 p-0 text-xs font-normal text-muted',
  day: 'size-9 p-0 text-center [&[data-outside]>button]:text-muted [&[data-selected]>button]:bg-accent! [&[data-selected]>button]:font-semibold [&[data-selected]>button]:text-on-accent! [&[data-today]>button]:font-semibold [&[data-today]>button]:text-accent-ink',
  day_button:
    'size-9 rounded-sm text-sm tabular-nums hover:bg-hover disabled:cursor-not-allowed disabled:bg-transparent disabled:opacity-40',
};

type CalendarProps = {
  /** Accessible name. */
  label: string;
  selected: Date | undefined;
  /** Undefined when the selected day was pressed once more. */
  onSelect: (day: Date | undefined) => void;
  /** Days before this moment's cannot be chosen. */
  earliest: Date;
  /** The last year that can be turned to. */
  latest: Date;
};

/** A month to choose a day from, always open. Arrow keys move by days and weeks, Page Up and Page Down by months. */
export function Calendar({ label, selected, onSelect, earliest, latest }: CalendarProps) {
  // Kept here: the picker turns back to its first month a moment after it has come, also when someone was quicker.
  const [month, setMonth] = useState(selected ?? earliest);
  return (
    <DayPicker
      mode="single"
      aria-label={label}
      selected={selected}
      onSelect={onSelect}
      month={month}
      onMonthChange={setMonth}
      today={earliest}
      startMonth={earliest}
      endMonth={latest}
      disabled={{ before: earliest }}
      captionLayout="dropdown"
      fixedWeeks
      showOutsideDays
      components={{ Chevron: Arrow }}
      labels={{ labelDayButton: nameOf }}
      classNames={LOOKS}
    />
  );
}
