import { X } from 'lucide-react';
import { type ReactElement, type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { IconButton } from '../controls/IconButton.tsx';
import { Brand } from './Brand.tsx';

type DrawerProps = {
  /** The router's link to home, without children. */
  home: ReactElement;
  onClose: () => void;
  /** SidebarSection elements. */
  children: ReactNode;
  /** What stands at its lower end. */
  footer: ReactNode;
};

/** The navigation on small screens. */
export function Drawer({ home, onClose, children, footer }: DrawerProps) {
  const drawer = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = drawer.current;
    // The browser's own modal brings the focus in and back, makes the rest inert and answers Escape.
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  useEffect(() => {
    const dialog = drawer.current;
    // The dialog is its own backdrop: only a press next to its content hits it.
    const pressed = (event: MouseEvent) => {
      if (event.target === dialog) dialog?.close();
    };
    dialog?.addEventListener('click', pressed);
    return () => dialog?.removeEventListener('click', pressed);
  }, []);
  return (
    <dialog
      ref={drawer}
      aria-label="Navigation"
      onClose={onClose}
      className="m-0 h-dvh max-h-none w-full max-w-none bg-transparent text-ink backdrop:bg-veil lg:hidden"
    >
      <div className="flex h-full w-64 max-w-[85vw] animate-fade flex-col bg-canvas shadow-dialog">
        <div className="flex h-bar items-center justify-between pr-2 pl-4">
          <Brand home={home} />
          <IconButton label="Close navigation" icon={<X size={18} aria-hidden />} onClick={onClose} />
        </div>
        <nav aria-label="Main" className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto px-3 py-2">
          {children}
        </nav>
        <div className="flex flex-col gap-0.5 border-t border-line px-3 py-2">{footer}</div>
      </div>
    </dialog>
  );
}

type DrawerButtonProps = { icon: ReactNode; onClick: () => void; busy?: boolean; children: ReactNode };

/** Something to do, looking like the links above it. */
export const DrawerButton = ({ icon, onClick, busy = false, children }: DrawerButtonProps) => (
  <button
    type="button"
    aria-disabled={busy || undefined}
    onClick={busy ? undefined : onClick}
    className="flex h-9 items-center gap-3.5 rounded-sm px-2.25 text-base font-medium text-muted hover:bg-hover hover:text-ink"
  >
    {icon}
    {children}
  </button>
);
