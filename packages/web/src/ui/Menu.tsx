import { cloneElement, lazy, Suspense, useState } from 'react';
import type { MouseEvent, ReactElement } from 'react';
import type { MenuAction } from './menuAction.ts';

const loadPopup = () => import('./MenuPopup.tsx');
const MenuPopup = lazy(() => loadPopup().then((module) => ({ default: module.MenuPopup })));

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
  align?: 'start' | 'end' | undefined;
  /** The button that opens the menu. */
  children: ReactElement;
};

/** A button with a list of actions. The list is fetched when the button is about to be used. */
export function Menu({ label, items, align = 'end', children }: MenuProps) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const trigger = children as ReactElement<TriggerProps>;
  return (
    <>
      <span className="contents" onPointerEnter={() => void loadPopup()} onFocus={() => void loadPopup()}>
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
      {anchor ? (
        <Suspense fallback={null}>
          <MenuPopup label={label} items={items} align={align} anchor={anchor} onClose={() => setAnchor(null)} />
        </Suspense>
      ) : null}
    </>
  );
}
