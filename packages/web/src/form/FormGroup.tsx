import { ChevronRight } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { type Control, type FieldValues, get, useFormState } from 'react-hook-form';

const HEADING = 'text-xs font-semibold text-muted';

/** Fields of a form that belong together, under a heading. */
export function FormGroup({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className="mt-2 min-w-0">
      <legend className={`${HEADING} mb-3`}>{title}</legend>
      <div className="grid gap-4">{children}</div>
    </fieldset>
  );
}

type FoldedGroupProps<V extends FieldValues, Out> = {
  title: string;
  /** What the fields say, in a few words, told while they are folded. */
  summary: string;
  control: Control<V, unknown, Out>;
  /** The fields in it. */
  names: readonly string[];
  /** Whether it is open from the start. */
  initiallyOpen?: boolean;
  children: ReactNode;
};

/** Fields that most leave as they are: folded, until they are asked for or one of them is wrong. */
export function FoldedGroup<V extends FieldValues, Out>({
  title,
  summary,
  control,
  names,
  initiallyOpen = false,
  children,
}: FoldedGroupProps<V, Out>) {
  const [asked, setAsked] = useState(initiallyOpen);
  const { errors } = useFormState({ control });
  const isWrong = names.some((name) => get(errors, name) !== undefined);
  const open = asked || isWrong;
  return (
    <details
      open={open}
      onToggle={({ currentTarget: details }) => {
        // What is wrong is never hidden.
        if (isWrong) details.open = true;
        setAsked(details.open);
      }}
      className="group mt-2"
    >
      <summary className="-mx-1 flex cursor-pointer list-none items-start gap-1 rounded-xs px-1 py-1 hover:bg-hover [&::-webkit-details-marker]:hidden">
        <ChevronRight size={16} aria-hidden className="shrink-0 text-muted transition-transform group-open:rotate-90" />
        <span className={`${HEADING} shrink-0`}>{title}</span>
        {open ? null : (
          <span className="ml-2 min-w-0 text-xs wrap-anywhere text-muted first-letter:uppercase">{summary}</span>
        )}
      </summary>
      <div className="mt-3 grid gap-4">{children}</div>
    </details>
  );
}
