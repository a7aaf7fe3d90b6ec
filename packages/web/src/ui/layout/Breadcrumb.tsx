import { ChevronRight } from 'lucide-react';
import { Children } from 'react';
import type { ReactNode } from 'react';

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
