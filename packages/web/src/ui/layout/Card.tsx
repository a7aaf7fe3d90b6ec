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
  children: ReactNode;
};

/** A titled panel. With a title it is a region that carries it. */
export function Card({ title, description, actions, footer, flush = false, children }: CardProps) {
  const id = useId();
  return (
    <section
      {...(title ? { 'aria-labelledby': id } : {})}
      className={classes(
        '@container flex min-w-0 flex-col rounded-lg border border-line bg-surface shadow-card',
        flush && 'overflow-clip',
      )}
    >
      {title ? (
        <header className="flex min-h-13 flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2.5">
          <div className="min-w-[min(100%,7.5rem)] flex-1">
            <h2 id={id} className="min-w-0 text-lg font-semibold tracking-tight">
              {title}
            </h2>
            {description ? <p className="text-sm text-muted">{description}</p> : null}
          </div>
          {actions ? <div className="flex flex-wrap items-center gap-2">{actions}</div> : null}
        </header>
      ) : null}
      <div className={classes('flex-1', !flush && 'px-4 pb-4', !flush && !title && 'pt-4')}>{children}</div>
      {footer}
    </section>
  );
}

export type EmptyStateProps = {
  /** A lucide icon, 20 px. */
  icon: ReactNode;
  title: string;
  description?: ReactNode;
  action?: ReactNode;
  /** No higher than a row, within a card that may be one of several. */
  inRow?: boolean | undefined;
};

/** What a list says when it has nothing to show, and the way to change that. */
export function EmptyState({ icon, title, description, action, inRow = false }: EmptyStateProps) {
  return (
    <div
      className={classes(
        'flex items-center gap-1 px-4',
        inRow ? 'flex-wrap gap-x-3 py-2 *:m-0' : 'flex-col py-10 text-center',
      )}
    >
      <span className="mb-2 inline-flex size-10 items-center justify-center rounded-md bg-hover text-muted">
        {icon}
      </span>
      <p className="font-medium">{title}</p>
      {description ? <p className="max-w-sm text-sm text-muted">{description}</p> : null}
      {action ? <div className="mt-3">{action}</div> : null}
    </div>
  );
}

const LAYOUTS = {
  columns: 'grid grid-cols-[repeat(auto-fit,minmax(min(11rem,100%),1fr))] gap-x-6 gap-y-3',
  six: 'grid grid-cols-2 gap-x-6 gap-y-3 @lg:grid-cols-3 @4xl:grid-cols-6',
  line: 'flex flex-wrap gap-x-5 gap-y-0.5 *:flex *:items-baseline *:gap-2 [&_dd]:text-ink',
};

export type Fact = {
  label: string;
  value: ReactNode;
  mono?: boolean | undefined;
  /** Takes two columns where there are two. */
  wide?: boolean | undefined;
};

type FactsProps = {
  items: readonly Fact[];
  /** `six` is for six short values or five with a wide one: whole rows of 2, 3 or 6. `line` stands under a title. */
  layout?: keyof typeof LAYOUTS | undefined;
};

/** Names and values of one thing, in as many columns as there is room for. */
export function Facts({ items, layout = 'columns' }: FactsProps) {
  return (
    <dl className={LAYOUTS[layout]}>
      {items.map((item) => (
        <div key={item.label} className={classes('min-w-0', item.wide && 'col-span-2')}>
          <dt className="text-xs text-muted">{item.label}</dt>
          <dd className="min-w-0 wrap-anywhere tabular-nums">
            {/* Within the line of the common type, so that both stand on it. */}
            {item.mono ? <span className="font-mono text-sm leading-none">{item.value}</span> : item.value}
          </dd>
        </div>
      ))}
    </dl>
  );
}
