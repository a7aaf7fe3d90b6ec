import type { ReactNode } from 'react';

export type EmptyStateProps = {
  /** A lucide icon, 20 px. */
  icon?: ReactNode;
  title: ReactNode;
  description?: ReactNode;
  action?: ReactNode;
};

/** What a list says when it has nothing to show, and the way to change that. */
export function EmptyState({ icon, title, description, action }: EmptyStateProps) {
  return (
    <div data-empty className="flex flex-col items-center gap-1 px-4 py-10 text-center">
      {icon ? (
        <span className="mb-2 inline-flex size-10 items-center justify-center rounded-md bg-hover text-muted">
          {icon}
        </span>
      ) : null}
      <p className="font-medium">{title}</p>
      {description ? <p className="max-w-sm text-sm text-muted">{description}</p> : null}
      {action ? <div className="mt-3">{action}</div> : null}
    </div>
  );
}
