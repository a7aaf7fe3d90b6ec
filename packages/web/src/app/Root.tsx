import { Outlet } from '@tanstack/react-router';
import { CircleCheck, CircleX, Info, TriangleAlert, X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { updateQuestion } from '../state/consoleUpdate.ts';
import { closeDialogs } from '../state/dialogs.ts';
import { useStore } from '../state/store.ts';
import { HELD_BY_FOCUS, HELD_BY_POINTER, toasts, type ToastType } from '../state/toasts.ts';
import { Button } from '../ui/controls/Button.tsx';
import { classes } from '../ui/layout/classes.ts';
import { PlainDialog } from '../ui/overlays/PlainDialog.tsx';

/** What is there on every screen, signed in or not. */
export function Root() {
  return (
    <>
      <Outlet />
      <ToastList />
      <UpdateQuestion />
    </>
  );
}

const ICONS = { info: Info, error: CircleX, success: CircleCheck, warning: TriangleAlert };
const INKS: Record<ToastType, string> = {
  info: 'text-accent-ink',
  error: 'text-danger-ink',
  success: 'text-success-ink',
  warning: 'text-warning-ink',
};

/** Short messages at the edge of the window. It is always there: a live region announces only what comes later. */
function ToastList() {
  const region = useRef<HTMLElement>(null);
  // Their time stands still while the pointer or the focus is on them.
  useEffect(() => {
    const listening = new AbortController();
    for (const [type, held, by] of [
      ['pointerover', true, HELD_BY_POINTER],
      ['pointerleave', false, HELD_BY_POINTER],
      ['focusin', true, HELD_BY_FOCUS],
      ['focusout', false, HELD_BY_FOCUS],
    ] as const) {
      region.current?.addEventListener(type, () => toasts.hold(held, by), listening);
    }
    return () => listening.abort();
  }, []);

  // On a phone the buttons of a dialog lie at the lower edge, and a refusal must not cover Save.
  return (
    <section
      aria-label="Notifications"
      data-toasts
      ref={region}
      className="pointer-events-none fixed inset-x-2 top-2 z-(--z-toast) flex flex-col items-end sm:top-auto sm:right-4 sm:bottom-4 sm:left-auto"
    >
      <ol aria-live="polite" aria-relevant="additions" className="flex w-full flex-col gap-2 sm:w-88">
        {useStore(toasts).map(({ id, message, type }) => {
          const Icon = ICONS[type];
          return (
            <li
              key={id}
              data-popup
              className="pointer-events-auto flex animate-rise items-start gap-2.5 rounded-md bg-raised py-2.5 pr-2 pl-3 shadow-popup"
            >
              <Icon size={18} aria-hidden className={classes('mt-0.5 shrink-0', INKS[type])} />
              <p className="min-w-0 flex-1 wrap-anywhere" {...(type === 'error' ? { role: 'alert' } : {})}>
                {message}
              </p>
              <button
                type="button"
                aria-label="Close notification"
                onClick={() => toasts.close(id)}
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

/** What was typed has been given up by then: no dialog asks about it again. */
function reload(): void {
  closeDialogs();
  setTimeout(() => location.reload());
}

/** Asks before the page reloads for another build of the console: what was typed would be lost. */
function UpdateQuestion() {
  if (!useStore(updateQuestion)) return null;
  return (
    <PlainDialog
      title="The console was updated"
      onClose={updateQuestion.dismiss}
      footer={
        <>
          <Button onClick={updateQuestion.dismiss}>Not yet</Button>
          <Button variant="info" onClick={reload}>
            Reload
          </Button>
        </>
      }
    >
      Reload to go on. What you typed and did not save will be lost: choose Not yet to copy it first.
    </PlainDialog>
  );
}
