import { Menu as MenuIcon } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { Brand } from './Brand.tsx';
import { IconButton } from '../controls/IconButton.tsx';

type HeaderProps = {
  /** Opens the drawer on small screens. */
  onOpenNavigation: () => void;
  /** The router's link to home, without children; the mark stands here on small screens only. */
  home: ReactElement;
  /** Right: repository link, help, theme, sign-out. */
  children: ReactNode;
};

/** The bar on top of every screen. */
export function Header({ onOpenNavigation, home, children }: HeaderProps) {
  return (
    <header className="sticky top-0 z-(--z-header) shrink-0 bg-canvas">
      {/* As wide as the content below, and its icons, which are smaller than their buttons, end where that ends. */}
      <div className="mx-auto flex h-bar max-w-page items-center gap-2 px-2 sm:px-3 lg:px-5">
        <div className="flex items-center gap-1.5 lg:hidden">
          <IconButton
            label="Open navigation"
            icon={<MenuIcon size={20} aria-hidden />}
            tooltipSide="bottom"
            onClick={onOpenNavigation}
          />
          <Brand home={home} small />
        </div>
        <div className="ml-auto flex items-center gap-0.5">{children}</div>
      </div>
    </header>
  );
}
