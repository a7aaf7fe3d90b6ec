import { CircleCheck, CircleX, Info, TriangleAlert, X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import { classes } from '../layout/classes.ts';

type ToastType = 'info' | 'error' | 'success' | 'warning';
export type ToastItem = { id: string | number; message: ReactNode; type?: ToastType | undefined };

const ICONS = { info: Info, error: CircleX, success: CircleCheck, warning: TriangleAlert };
const INKS: Record<ToastType, string> = {
  info: 'text-accent-ink',
  error: 'text-danger-ink',
  success: 'text-success-ink',
  warning: 'text-warning-ink',
};

type ToastListProps = {
  toasts: readonly ToastItem[];
  onClose: (id: ToastItem['id']) => void;
  /** True while the pointer or the focus is on the list: anyone who keeps the time should hold it then. */
  onHoldChange?: ((held: boolean) => void) | undefined;
};

/** Short messages at the edge of the window. Mount it once and for ever: a live region announces only what comes later. */
export function ToastList({ toasts, onClose, onHoldChange }: ToastListProps) {
  const region = useRef<HTMLElement>(null);

  useEffect(() => {
    const element = region.current;
    if (!element || !onHoldChange) return undefined;
    const listening = new AbortController();
    for (const type of ['pointerover', 'focusin']) {
      element.addEventListener(type, () => onHoldChange(true), listening);
    }
    for (const type of ['pointerleave', 'focusout']) {
      element.addEventListener(type, () => onHoldChange(false), listening);
    }
    return () => listening.abort();
  }, [onHoldChange]);

  // On a phone the buttons of a dialog lie at the lower edge, and a refusal must not cover Save.
  return (
    <section
      aria-label="Notifications"
      data-toasts
      ref={region}
      className="pointer-events-none fixed inset-x-2 top-2 z-(--z-toast) flex flex-col items-end sm:top-auto sm:right-4 sm:bottom-4 sm:left-auto"
    >
      <ol aria-live="polite" aria-relevant="additions" className="flex w-full flex-col gap-2 sm:w-88">
        {toasts.map((toast) => {
          const type = toast.type ?? 'info';
          const Icon = ICONS[type];
          return (
            <li
              key={toast.id}
              data-popup
              className="pointer-events-auto flex animate-rise items-start gap-2.5 rounded-md bg-raised py-2.5 pr-2 pl-3 shadow-popup"
            >
              <Icon size={18} aria-hidden className={classes('mt-0.5 shrink-0', INKS[type])} />
              <p className="min-w-0 flex-1 wrap-anywhere" {...(type === 'error' ? { role: 'alert' } : {})}>
                {toast.message}
              </p>
              <button
                type="button"
                aria-label="Close notification"
                onClick={() => onClose(toast.id)}
                className="inline-flex size-6 shrink-0 items-center justify-center rounded-xs text-muted hover:bg-hover hover:text-ink"
              >
                <X size={16} aria-hidden />
              </button>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
