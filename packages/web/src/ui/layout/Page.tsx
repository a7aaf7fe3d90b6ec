import { ChevronRight } from 'lucide-react';
import { Children, type ReactNode } from 'react';
import { classes } from './classes.ts';

type PageProps = {
  /** The screen is as high as the window, so that one of its parts may take what is left (`flex-1`). */
  fill?: boolean | undefined;
  children: ReactNode;
};

/** The content column of a screen: its width, its padding and the distance between its parts. */
export function Page({ fill = false, children }: PageProps) {
  return (
    <div
      className={classes(
        'mx-auto flex w-full max-w-page flex-col gap-4 px-3 pt-4 sm:px-6 sm:pt-6 lg:px-8',
        fill ? 'flex-1 pb-4 sm:pb-6' : 'pb-12',
      )}
    >
      {children}
    </div>
  );
}

type PageHeaderProps = {
  title: ReactNode;
  /** A Breadcrumb. */
  breadcrumb?: ReactNode;
  /** Badges and dots next to the title. */
  badges?: ReactNode;
  description?: ReactNode;
  /** Buttons at the right end. */
  actions?: ReactNode;
};

/** The one h1 of a screen, with the way back above it and the screen's actions next to it. */
export function PageHeader({ title, breadcrumb, badges, description, actions }: PageHeaderProps) {
  return (
    <div className="flex flex-col gap-1">
      {breadcrumb}
      {/* On a phone several buttons do not fit next to the title: they come after the description. */}
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1.5">
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
          <h1 className="min-w-0 text-xl font-semibold tracking-tight text-balance wrap-anywhere">{title}</h1>
          {badges}
        </div>
        {actions ? (
          <div className="flex flex-wrap items-center gap-2 has-[>:nth-child(2)]:max-sm:order-1">{actions}</div>
        ) : null}
        {description ? <div className="w-full text-pretty text-muted lg:pr-96">{description}</div> : null}
      </div>
    </div>
  );
}

type BreadcrumbProps = {
  /** One child a step: links given by the caller, the last one plain text (it is the current page). */
  children: ReactNode;
};

/** The way to this page: `<Breadcrumb><Link to="/nodes">Client / Nodes</Link>web-1</Breadcrumb>`. */
export function Breadcrumb({ children }: BreadcrumbProps) {
  const last = Children.count(children) - 1;
  return (
    <nav aria-label="Breadcrumb">
      <ol className="flex flex-wrap items-center gap-x-1.5 text-sm text-muted">
        {Children.map(children, (step, index) => (
          <li
            className="flex min-w-0 items-center gap-1.5 aria-[current=page]:text-ink [&_a]:rounded-xs [&_a]:hover:text-ink [&_a]:hover:underline"
            {...(index === last ? { 'aria-current': 'page' as const } : {})}
          >
            <span className="min-w-0 wrap-anywhere">{step}</span>
            {index === last ? null : <ChevronRight size={14} aria-hidden className="shrink-0" />}
          </li>
        ))}
      </ol>
    </nav>
  );
}
