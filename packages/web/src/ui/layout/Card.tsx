import { useId } from 'react';
import type { ReactNode } from 'react';
import { classes } from './classes.ts';

type CardProps = {
  title?: ReactNode;
  /** A line under the title. */
  description?: ReactNode;
  /** Badges and dots next to the title. */
  badges?: ReactNode;
  /** Buttons at the right end of the header. */
  actions?: ReactNode;
  /** Under the body, for a pagination. */
  footer?: ReactNode;
  /** `flush` lets a table reach the edges. */
  flush?: boolean | undefined;
  /** Level of the title's heading. */
  level?: 2 | 3 | undefined;
  className?: string | undefined;
  children?: ReactNode;
};

/** A titled panel. With a title it is a region that carries it. */
export function Card({
  title,
  description,
  badges,
  actions,
  footer,
  flush,
  level = 2,
  className,
  children,
}: CardProps) {
  const id = useId();
  const Heading = level === 2 ? 'h2' : 'h3';
  return (
    <section
      {...(title ? { 'aria-labelledby': id } : {})}
      className={classes(
        '@container flex min-w-0 flex-col rounded-lg border border-line bg-surface shadow-card',
        flush && 'overflow-clip',
        className,
      )}
    >
      {title || actions ? (
        <header className="flex min-h-13 flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2.5">
          <div className="min-w-[min(100%,7.5rem)] flex-1">
            <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
              <Heading id={id} className="min-w-0 text-lg font-semibold tracking-tight">
                {title}
              </Heading>
              {badges}
            </div>
            {description ? <p className="text-sm text-muted">{description}</p> : null}
          </div>
          {actions ? <div className="flex flex-wrap items-center gap-2">{actions}</div> : null}
        </header>
      ) : null}
      {children ? (
        <div className={classes('flex-1', !flush && 'px-4 pb-4', !flush && !title && !actions && 'pt-4')}>
          {children}
        </div>
      ) : null}
      {footer}
    </section>
  );
}
