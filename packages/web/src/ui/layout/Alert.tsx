import { CircleX, Info, TriangleAlert, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from './classes.ts';

type AlertType = 'info' | 'error' | 'warning';

const ICONS = { info: Info, error: CircleX, warning: TriangleAlert };
const TONES: Record<AlertType, string> = {
  info: 'bg-accent-soft [&>svg]:text-accent-ink',
  error: 'bg-danger-soft [&>svg]:text-danger-ink',
  warning: 'bg-warning-soft [&>svg]:text-warning-ink',
};

type AlertProps = {
  type?: AlertType | undefined;
  title?: ReactNode;
  children?: ReactNode;
  /** A button that fixes what the alert is about. */
  action?: ReactNode;
  /** Makes the alert closable. */
  onClose?: (() => void) | undefined;
};

/** A message within the page. An error is announced at once. */
export function Alert({ type = 'info', title, children, action, onClose }: AlertProps) {
  const Icon = ICONS[type];
  return (
    <div
      role={type === 'error' ? 'alert' : 'status'}
      className={classes('flex flex-wrap items-start gap-2.5 rounded-md px-3 py-2.5', TONES[type])}
    >
      <Icon size={18} aria-hidden className="mt-0.5 shrink-0" />
      {/* Where the button has no room next to the text, it goes below. */}
      <div className="flex-1 basis-48 wrap-anywhere">
        {title ? <p className="font-medium">{title}</p> : null}
        {children ? <div className={title ? 'text-sm' : ''}>{children}</div> : null}
      </div>
      {action ? <div className="shrink-0 self-center">{action}</div> : null}
      {onClose ? (
        <button
          type="button"
          aria-label="Close"
          onClick={onClose}
          className="-mr-1 inline-flex size-6 shrink-0 items-center justify-center rounded-xs hover:bg-press"
        >
          <X size={16} aria-hidden />
        </button>
      ) : null}
    </div>
  );
}
