import type { ReactElement, ReactNode } from 'react';
import { cloneElement } from 'react';
import { type Toast, toasts, type ToastType } from '../state/toasts.ts';
import { buttonClass } from '../ui/controls/Button.tsx';

/** So long a toast stays in which something can be done about what it tells. */
const ACTION_MS = 10_000;

type ActionToast = {
  message: string;
  type?: ToastType;
  /** The one thing to do, which closes the toast: a button or a router's link, without what it looks like. */
  action: ReactElement<{ className?: string; onClick?: () => void; children?: ReactNode }>;
};

/** Tells something, with the one thing that can be done about it. */
export function showActionToast({ message, type = 'info', action }: ActionToast): Toast['id'] {
  const { onClick } = action.props;
  const id = toasts.show(
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
      <span className="min-w-0 flex-1 basis-40">{message}</span>
      {cloneElement(action, {
        className: buttonClass({ size: 'sm' }),
        onClick() {
          toasts.close(id);
          onClick?.();
        },
      })}
    </span>,
    type,
    ACTION_MS,
  );
  return id;
}
