import { autoUpdate, flip, offset, size, useFloating } from '@floating-ui/react-dom';
import { useEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import { classes } from '../layout/classes.ts';
import { landmarkOf } from '../overlays/landmarkOf.ts';

/** One of the values that an Autocomplete suggests. */
export type AutocompleteOption = {
  value: string;
  /** A second, quieter text: what kind of thing it is. */
  note?: string | undefined;
};

/** Space to the field, and to the edge of the window. */
const GAP_PX = 4;
const EDGE_PX = 8;
const MAX_HEIGHT_PX = 288;

// The list takes no focus: the field points at its options.
const LISTBOX = { role: 'listbox' };

type AutocompletePopupProps = {
  id: string;
  labelledBy: string | undefined;
  anchor: HTMLElement;
  options: readonly AutocompleteOption[];
  /** Place of the option that Enter takes; -1: none. */
  active: number;
  onPoint: (option: AutocompleteOption) => void;
  onChoose: (option: AutocompleteOption) => void;
};

/** The popup half of Autocomplete, in a chunk of its own. */
export function AutocompletePopup({
  id,
  labelledBy,
  anchor,
  options,
  active,
  onPoint,
  onChoose,
}: AutocompletePopupProps) {
  const { refs, floatingStyles } = useFloating({
    elements: { reference: anchor },
    strategy: 'fixed',
    placement: 'bottom-start',
    whileElementsMounted: autoUpdate,
    middleware: [
      offset(GAP_PX),
      flip({ padding: EDGE_PX }),
      size({
        padding: EDGE_PX,
        apply({ rects, availableHeight, elements: { floating } }) {
          floating.style.width = `${rects.reference.width}px`;
          floating.style.maxHeight = `${Math.min(MAX_HEIGHT_PX, availableHeight)}px`;
        },
      }),
    ],
  });
  return createPortal(
    <div
      ref={refs.setFloating}
      style={floatingStyles}
      data-popup
      role="presentation"
      // The focus stays in the field.
      onPointerDown={(event) => event.preventDefault()}
      onMouseDown={(event) => event.preventDefault()}
      className="z-(--z-popup) animate-fade overflow-y-auto rounded-md bg-popup shadow-popup"
    >
      <ul {...LISTBOX} id={id} aria-labelledby={labelledBy} className="p-1">
        {options.map((option, index) => (
          <Option
            key={option.value}
            id={`${id}${index}`}
            option={option}
            active={index === active}
            onPoint={() => onPoint(option)}
            onChoose={() => onChoose(option)}
          />
        ))}
      </ul>
    </div>,
    landmarkOf(anchor),
  );
}

type OptionProps = {
  id: string;
  option: AutocompleteOption;
  active: boolean;
  onPoint: () => void;
  onChoose: () => void;
};

function Option({ id, option, active, onPoint, onChoose }: OptionProps) {
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (active) item.current?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    <li
      ref={item}
      {...{ role: 'option', 'aria-selected': active, onPointerMove: onPoint, onClick: onChoose }}
      id={id}
      className={classes(
        'flex flex-wrap items-baseline justify-between gap-x-3 rounded-xs px-2 py-1.5 font-mono text-sm select-none',
        active && 'bg-hover',
      )}
    >
      <span className="min-w-0 wrap-anywhere">{option.value}</span>
      {option.note ? <span className="shrink-0 font-sans text-xs text-muted">{option.note}</span> : null}
    </li>
  );
}
