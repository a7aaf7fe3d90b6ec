import { Menu as MenuIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from './IconButton.tsx';

type HeaderProps = {
  /** Opens the drawer on small screens. */
  onOpenNavigation: () => void;
  /** Left, on small screens only: the mark (the sidebar has it on wide ones). */
  brand?: ReactNode;
  /** Right: repository link, help, theme, sign-out. */
  children: ReactNode;
};

/** The bar on top of every screen. */
export function Header({ onOpenNavigation, brand, children }: HeaderProps) {
  return (
    <header className="sticky top-0 z-(--z-header) flex h-bar shrink-0 items-center gap-2 bg-canvas/90 px-2 backdrop-blur-md sm:px-4 lg:px-6">
      <div className="flex items-center gap-1.5 lg:hidden">
        <IconButton
          label="Open navigation"
          icon={<MenuIcon size={20} aria-hidden />}
          tooltipSide="bottom"
          onClick={onOpenNavigation}
        />
        {brand}
      </div>
      <div className="ml-auto flex items-center gap-0.5">{children}</div>
    </header>
  );
}
