import type { ReactNode } from 'react';

type PageHeaderProps = {
  title: ReactNode;
  /** A Breadcrumb. */
  breadcrumb?: ReactNode;
  /** Badges and dots beside the title. */
  badges?: ReactNode;
  description?: ReactNode;
  /** Buttons at the right end. */
  actions?: ReactNode;
};

/** The one h1 of a screen, with the way back above it and the screen's actions beside it. */
export function PageHeader({ title, breadcrumb, badges, description, actions }: PageHeaderProps) {
  return (
    <div className="flex flex-col gap-1">
      {breadcrumb}
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
          <h1 className="min-w-0 text-xl font-semibold tracking-tight text-balance wrap-anywhere">{title}</h1>
          {badges}
        </div>
        {actions ? <div className="flex flex-wrap items-center gap-2">{actions}</div> : null}
      </div>
      {description ? <div className="max-w-3xl text-pretty text-muted">{description}</div> : null}
    </div>
  );
}
