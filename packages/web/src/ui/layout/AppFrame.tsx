import { Menu as MenuIcon } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { IconButton } from '../controls/IconButton.tsx';
import { Brand } from './Brand.tsx';

type AppFrameProps = { sidebar: ReactNode; header: ReactNode; children: ReactNode };

/** Sidebar, header and the main part, with a link that skips to it. */
export function AppFrame({ sidebar, header, children }: AppFrameProps) {
  return (
    <div className="flex min-h-dvh">
      <a
        href="#main"
        className="fixed top-2 left-2 z-(--z-toast) -translate-y-20 rounded-sm bg-inverse px-3 py-2 text-on-inverse focus:translate-y-0"
      >
        Skip to content
      </a>
      {sidebar}
      <div className="flex min-w-0 flex-1 flex-col">
        {header}
        <main id="main" tabIndex={-1} className="flex min-w-0 flex-1 flex-col outline-none">
          {children}
        </main>
      </div>
    </div>
  );
}

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
