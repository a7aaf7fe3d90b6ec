import { Menu } from '@base-ui/react/menu';
import { Check } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { classes } from '../layout/classes.ts';
import { landmarkOf } from './landmarkOf.ts';

type MenuPopupProps = {
  label: string;
  items: readonly MenuAction[];
  anchor: HTMLElement;
  onClose: () => void;
};

/** The popup half of Menu, in a chunk of its own. */
export function MenuPopup({ label, items, anchor, onClose }: MenuPopupProps) {
  return (
    <Menu.Root open onOpenChange={(open) => open || onClose()}>
      {/* Of no size: its landmark may space its children. */}
      <Menu.Portal container={landmarkOf(anchor)} className="contents">
        <Menu.Positioner
          positionMethod="fixed"
          anchor={anchor}
          align="end"
          sideOffset={4}
          collisionPadding={8}
          className="z-(--z-popup) outline-none"
        >
          <Menu.Popup
            aria-label={label}
            finalFocus={() => anchor}
            data-popup
            className="max-h-(--available-height) max-w-[min(20rem,var(--available-width))] min-w-44 animate-fade overflow-y-auto rounded-md bg-popup p-1 shadow-popup outline-none"
          >
            {items.map((item) => (
              <MenuEntry key={item.label} item={item} />
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

function MenuEntry({ item }: { item: MenuAction }) {
  const look = classes(
    'flex w-full items-start gap-2.5 rounded-xs px-2 py-1.5 pointer-coarse:py-2.5 max-sm:py-2.5 text-sm no-underline outline-none select-none',
    '[&_svg]:mt-0.5 [&_svg]:size-4 [&_svg]:shrink-0',
    item.disabled
      ? 'text-muted'
      : item.danger
        ? 'cursor-pointer text-danger-ink data-highlighted:bg-danger-soft'
        : 'cursor-pointer text-ink data-highlighted:bg-hover [&_svg]:text-muted',
  );
  const content = (
    <>
      {item.icon}
      <span className="min-w-0">
        <span className="block">{item.label}</span>
        {item.disabled ? <span className="block text-xs text-muted">{item.disabled}</span> : null}
      </span>
    </>
  );
  return (
    <>
      {item.separated ? <Menu.Separator className="my-1 h-px bg-edge/40" /> : null}
      {(item.link || item.href) && !item.disabled ? (
        <Menu.LinkItem
          {...(item.link ? { render: item.link } : { href: item.href, target: '_blank', rel: 'noreferrer' })}
          label={item.label}
          closeOnClick
          className={look}
        >
          {content}
        </Menu.LinkItem>
      ) : item.checked !== undefined ? (
        <Menu.CheckboxItem
          label={item.label}
          checked={item.checked}
          onCheckedChange={() => item.onSelect?.()}
          className={look}
        >
          <Menu.CheckboxItemIndicator keepMounted className="data-unchecked:invisible">
            <Check aria-hidden />
          </Menu.CheckboxItemIndicator>
          {content}
        </Menu.CheckboxItem>
      ) : (
        <Menu.Item
          label={item.label}
          disabled={Boolean(item.disabled)}
          onClick={() => item.onSelect?.()}
          className={look}
        >
          {content}
        </Menu.Item>
      )}
    </>
  );
}

/** One entry of a menu, as data. */
export type MenuAction = {
  label: string;
  icon?: ReactNode;
  onSelect?: (() => void) | undefined;
  /** The router's link without children (`<Link to="/nodes" />`) that the entry becomes. */
  link?: ReactElement | undefined;
  /** An address outside of the router; opens a new tab. */
  href?: string | undefined;
  danger?: boolean | undefined;
  /** It is turned on or off by the entry, and the menu stays open. */
  checked?: boolean | undefined;
  /** Why the entry cannot be chosen now; shown under its label. */
  disabled?: string | undefined;
  /** Draws a hairline above the entry. */
  separated?: boolean | undefined;
};
