import { Menu as MenuIcon, PanelLeft, PanelLeftClose } from 'lucide-react';
import { cloneElement, createContext, type ReactElement, type ReactNode, use } from 'react';
import { IconButton } from '../controls/IconButton.tsx';
import { Tooltip } from '../overlays/Tooltip.tsx';
import { Brand } from './Brand.tsx';
import { classes } from './classes.ts';

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
  /** What is wrong on one of its pages, in a few words. */
  note?: string | undefined;
  /** The router's link to home, without children; the mark stands here on small screens only. */
  home: ReactElement;
  /** Right: repository link, help, theme, sign-out. */
  children: ReactNode;
};

/** The bar on top of every screen. */
export function Header({ onOpenNavigation, note, home, children }: HeaderProps) {
  return (
    <header className="sticky top-0 z-(--z-header) shrink-0 bg-canvas">
      {/* As wide as the content below, and its icons, which are smaller than their buttons, end where that ends. */}
      <div className="mx-auto flex h-bar max-w-page items-center gap-2 px-2 sm:px-3 lg:px-5">
        <div className="flex items-center gap-1.5 lg:hidden">
          <IconButton
            label="Open navigation"
            aria-description={note}
            icon={<Noted icon={<MenuIcon size={20} aria-hidden />} note={note} />}
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

const Collapsed = createContext(false);

type SidebarProps = {
  /** The router's link to home, without children. */
  home: ReactElement;
  /** Wide screens: narrow, with each word below its icon. */
  collapsed: boolean;
  onCollapsedChange: (collapsed: boolean) => void;
  /** SidebarSection elements. */
  children: ReactNode;
};

/** The navigation on wide screens: a column that folds to a narrow one. */
export function Sidebar({ home, collapsed, onCollapsedChange, children }: SidebarProps) {
  return (
    <aside
      className={classes(
        'sticky top-0 z-(--z-sidebar) hidden h-dvh shrink-0 flex-col border-r border-line bg-canvas transition-[width] lg:flex',
        collapsed ? 'w-rail' : 'w-sidebar',
      )}
    >
      <div className={classes('flex h-bar items-center', collapsed ? 'justify-center' : 'px-4')}>
        <Brand home={home} small={collapsed} />
      </div>
      <nav
        aria-label="Main"
        className={classes(
          'flex min-h-0 flex-1 flex-col gap-4 overflow-x-hidden overflow-y-auto py-2',
          collapsed ? 'px-1.5' : 'px-3',
        )}
      >
        <Collapsed value={collapsed}>{children}</Collapsed>
      </nav>
      <div className={classes('p-3', collapsed && 'self-center')}>
        <IconButton
          label={collapsed ? 'Expand sidebar' : 'Collapse sidebar'}
          aria-expanded={!collapsed}
          tooltipSide="right"
          onClick={() => onCollapsedChange(!collapsed)}
          icon={collapsed ? <PanelLeft size={18} aria-hidden /> : <PanelLeftClose size={18} aria-hidden />}
          className="text-muted aria-expanded:bg-transparent aria-expanded:text-muted"
        />
      </div>
    </aside>
  );
}

/** A titled group of links. */
export function SidebarSection({ title, children }: { title: string; children: ReactNode }) {
  const collapsed = use(Collapsed);
  return (
    <div>
      <p className={classes('px-2.25 pb-1 text-xs font-medium text-muted', collapsed && 'sr-only')}>{title}</p>
      <ul className="flex flex-col gap-0.5">{children}</ul>
    </div>
  );
}

/** An icon, with an amber dot where something is wrong. */
const Noted = ({ icon, note }: Pick<SidebarLinkProps, 'icon' | 'note'>) => (
  <span className="relative">
    {icon}
    {note ? <span className="absolute -top-1 -right-1 size-2 rounded-full bg-mark-idle" /> : null}
  </span>
);

type SidebarLinkProps = {
  label: string;
  /** What is wrong there, in a few words: an amber dot on the icon, and the words on hover, on focus and to screen readers. */
  note?: string | undefined;
  /** A lucide icon, 18 px. */
  icon: ReactNode;
  /** The router's link without children; it marks the current page with aria-current by itself. */
  link: ReactElement;
};

/** One entry of the navigation. */
export function SidebarLink({ label, note, icon, link }: SidebarLinkProps) {
  const collapsed = use(Collapsed);
  const entry = cloneElement(
    link as ReactElement<{ className?: string }>,
    {
      className: classes(
        'flex items-center rounded-sm font-medium text-muted transition-colors duration-100 [&_svg]:shrink-0',
        'hover:bg-hover hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:text-accent-ink',
        collapsed ? 'flex-col gap-1 px-0.5 py-2 text-center text-xs leading-4' : 'h-9 gap-3.5 px-2.25 text-base',
      ),
    },
    <Noted key="icon" icon={icon} note={note} />,
    <span key="label" className={classes(!collapsed && 'truncate')}>
      {label}
      {note ? <span className="sr-only">, {note}</span> : null}
    </span>,
  );
  return (
    <li>
      {note ? (
        <Tooltip content={note} side="right" isName>
          {entry}
        </Tooltip>
      ) : (
        entry
      )}
    </li>
  );
}
