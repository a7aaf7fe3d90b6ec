import { Check, Minus } from 'lucide-react';
import { classes } from '../../ui/layout/classes.ts';

type SelectBoxProps = {
  /** Accessible name: "Select Shop, https://app.example.com/". */
  label: string;
  checked: boolean;
  /** Some of what it stands for are selected, and some are not. */
  partly?: boolean;
  onChange: (on: boolean, withRange: boolean) => void;
  className?: string;
};

/** The box that selects a row, or all rows of a page. It takes presses around it as well. */
export function SelectBox({ label, checked, partly = false, onChange, className }: SelectBoxProps) {
  const Mark = partly ? Minus : Check;
  return (
    <label className={classes('-m-3 inline-flex p-3 pr-2 -mr-2 align-middle rows:-my-2 rows:py-2', className)}>
      <span className="relative inline-flex size-4.5">
        <input
          type="checkbox"
          aria-label={label}
          checked={checked}
          ref={(input) => {
            if (input) input.indeterminate = partly;
          }}
          onChange={(event) =>
            onChange(event.target.checked, 'shiftKey' in event.nativeEvent && event.nativeEvent.shiftKey === true)
          }
          className="peer size-4.5 appearance-none rounded-xs border border-edge bg-surface transition-colors checked:border-accent checked:bg-accent indeterminate:border-accent indeterminate:bg-accent hover:border-muted"
        />
        <Mark
          size={14}
          strokeWidth={3}
          aria-hidden
          className="pointer-events-none absolute inset-0.5 hidden text-on-accent peer-checked:block peer-indeterminate:block"
        />
      </span>
    </label>
  );
}
