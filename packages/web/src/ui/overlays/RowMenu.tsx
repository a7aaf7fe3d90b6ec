import { Ellipsis } from 'lucide-react';
import { IconButton } from '../controls/IconButton.tsx';
import { Menu } from './Menu.tsx';
import type { MenuAction } from './menuAction.ts';

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
