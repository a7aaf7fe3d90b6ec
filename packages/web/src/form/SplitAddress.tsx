import { type ClipboardEvent, type KeyboardEvent, type ReactNode, useState } from 'react';
import { type FieldValues, type Path, type PathValue, type UseFormReturn, useWatch } from 'react-hook-form';
import { type AddressParts, splitAddress } from './pastedAddress.ts';

/** Where the parts of an address go, and those that go nowhere, in words. */
export type Placed = { values: Record<string, unknown>; leftOut: readonly string[] };

type Split = { shown: string; placed: Placed; before: Record<string, unknown> };

type SplitAddressProps<V extends FieldValues, Out> = {
  form: Pick<UseFormReturn<V, unknown, Out>, 'control' | 'getValues' | 'setValue' | 'clearErrors' | 'setFocus'>;
  /** The field that it may be typed into. It may be pasted into any of them. */
  name: Path<V>;
  /** Null: the address is none for these fields. */
  place: (parts: AddressParts) => Placed | null;
  /** The fields of its parts. */
  children: ReactNode;
};

/**
 * Takes an address that is pasted or typed as a whole into a field for a part of it, and puts each part where it belongs;
 * says so, with a way back. What is typed is split when the field is left.
 */
export function SplitAddress<V extends FieldValues, Out>({ form, name, place, children }: SplitAddressProps<V, Out>) {
  const [split, setSplit] = useState<Split | null>(null);
  const [kept, setKept] = useState<unknown>(null);
  const values = useWatch({ control: form.control }) as Record<string, unknown>;
  const setAll = (all: Record<string, unknown>, shouldValidate: boolean) => {
    for (const [field, value] of Object.entries(all)) {
      form.setValue(field as Path<V>, value as PathValue<V, Path<V>>, { shouldDirty: true, shouldValidate });
    }
  };
  const take = (text: string): boolean => {
    const parts = splitAddress(text);
    const placed = parts && place(parts);
    if (!placed) return false;
    const before = Object.fromEntries(
      Object.keys(placed.values).map((field) => [field, form.getValues(field as Path<V>) as unknown]),
    );
    setAll(placed.values, true);
    setSplit({ shown: parts.shown, placed, before });
    return true;
  };
  const settle = () => {
    const typed: unknown = form.getValues(name);
    // What was put back is not taken again.
    if (typeof typed === 'string' && typed !== kept) take(typed);
  };
  // Once one of them was changed by hand, the way back would lose that.
  const isShown = split !== null && Object.entries(split.placed.values).every(([at, value]) => values[at] === value);
  const undo = () => {
    if (!split) return;
    setKept(split.before[name]);
    setAll(split.before, false);
    form.clearErrors(Object.keys(split.before) as Path<V>[]);
    setSplit(null);
    form.setFocus(name);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') settle();
    if (!isShown || event.key !== 'z' || event.shiftKey || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    undo();
  };
  const onPaste = (event: ClipboardEvent) => {
    if (take(event.clipboardData.getData('text'))) event.preventDefault();
  };
  return (
    <div>
      {/* The fields keep handlers of their own: these see what passes. */}
      <div onPaste={onPaste} onBlurCapture={settle} onKeyDownCapture={onKeyDown}>
        {children}
      </div>
      <output className="block text-xs text-muted">
        {isShown ? (
          <span className="mt-1 block wrap-anywhere">
            Split from <span className="font-mono">{split.shown}</span>.{' '}
            {split.placed.leftOut.length > 0 ? `Left out: ${split.placed.leftOut.join(', ')}. ` : ''}
            <button type="button" className="link" onClick={undo}>
              Undo
            </button>
          </span>
        ) : null}
      </output>
    </div>
  );
}
