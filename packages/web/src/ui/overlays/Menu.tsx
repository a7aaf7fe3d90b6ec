import { Ellipsis } from 'lucide-react';
import { cloneElement, type MouseEvent, type ReactElement, useState } from 'react';
import { IconButton } from '../controls/IconButton.tsx';
import { lazyDialog } from './lazyPart.tsx';
import type { MenuAction } from './MenuPopup.tsx';

const loadPopup = async () => (await import('./MenuPopup.tsx')).MenuPopup;
const MenuPopup = lazyDialog(loadPopup);
// Anyone who opens it is told when that fails.
const prepare = () => void loadPopup().catch(() => undefined);

type TriggerProps = {
  onClick?: ((event: MouseEvent<HTMLElement>) => void) | undefined;
  onPointerEnter?: unknown;
  onFocus?: unknown;
  'aria-haspopup'?: 'menu';
  'aria-expanded'?: boolean;
};

type MenuProps = {
  /** Accessible name of the list. */
  label: string;
  items: readonly MenuAction[];
  /** The button that opens the menu. */
  children: ReactElement;
};

/** A button with a list of actions. The list is fetched when the button is about to be used. */
export function Menu({ label, items, children }: MenuProps) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const trigger = children as ReactElement<TriggerProps>;
  return (
    <>
      <span className="contents" onPointerEnter={prepare} onFocus={prepare}>
        {cloneElement(trigger, {
          'aria-haspopup': 'menu',
          'aria-expanded': anchor !== null,
          onClick(event) {
            trigger.props.onClick?.(event);
            const button = event.currentTarget;
            setAnchor((current) => (current ? null : button));
          },
        })}
      </span>
      {anchor ? <MenuPopup label={label} items={items} anchor={anchor} onClose={() => setAnchor(null)} /> : null}
    </>
  );
}

type RowMenuProps = {
  /** Says whose actions these are: "Actions of web-1". */
  label: string;
  items: readonly MenuAction[];
};

/** The actions of a row or a card. Nothing is shown when there are none. */
export function RowMenu({ label, items }: RowMenuProps) {
  if (items.length === 0) return null;
  return (
    <Menu label={label} items={items}>
      <IconButton label={label} size="sm" icon={<Ellipsis size={18} aria-hidden />} />
    </Menu>
  );
}
