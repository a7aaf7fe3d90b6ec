import { type ReactNode, useId } from 'react';
import { classes } from './classes.ts';

type CardProps = {
  title?: ReactNode;
  /** A line under the title. */
  description?: ReactNode;
  /** Buttons at the right end of the header. */
  actions?: ReactNode;
  /** Under the body, for a pagination. */
  footer?: ReactNode;
  /** Lets a table reach the edges. */
  flush?: boolean | undefined;
  /** A part of what is around it, without an edge of its own. */
  bare?: boolean | undefined;
  /** Without anything in it, the card is one line. */
  children?: ReactNode;
};

/** A titled panel. With a title it is a region that carries it. */
export function Card({ title, description, actions, footer, flush = false, bare = false, children }: CardProps) {
  const id = useId();
  return (
    <section
      {...(title ? { 'aria-labelledby': id } : {})}
      className={classes(
        '@container flex min-w-0 flex-col',
        !bare && 'rounded-lg border border-line bg-surface shadow-card',
        flush && 'overflow-clip',
      )}
    >
      {title ? (
        <header
          className={classes('flex flex-wrap items-center gap-x-3 gap-y-2 px-4', bare ? 'min-h-9' : 'min-h-13 py-2.5')}
        >
          <div
            className={classes('min-w-[min(100%,7.5rem)] flex-1', !children && 'flex flex-wrap items-baseline gap-x-3')}
          >
            <h2
              id={id}
              className={classes('min-w-0 font-semibold', bare ? 'text-xs text-muted' : 'text-lg tracking-tight')}
            >
              {title}
            </h2>
            {description ? <p className="text-sm text-muted">{description}</p> : null}
          </div>
          {actions ? <div className="flex flex-wrap items-center gap-2">{actions}</div> : null}
        </header>
      ) : null}
      {children ? (
        <div className={classes('flex-1', !flush && 'px-4 pb-4', !flush && !title && 'pt-4')}>{children}</div>
      ) : null}
      {footer}
    </section>
  );
}

export type EmptyStateProps = {
  /** A lucide icon, 20 px. */
  icon?: ReactNode;
  title: string;
  description?: ReactNode;
  action?: ReactNode;
};

/** What a list says when it has nothing to show, and the way to change that. */
export function EmptyState({ icon, title, description, action }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center gap-1 px-4 py-10 text-center">
      <span className="mb-2 inline-flex size-10 items-center justify-center rounded-md bg-hover text-muted">
        {icon}
      </span>
      <p className="font-medium">{title}</p>
      {description ? <p className="max-w-sm text-sm text-muted">{description}</p> : null}
      {action ? <div className="mt-3">{action}</div> : null}
    </div>
  );
}
