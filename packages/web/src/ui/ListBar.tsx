import type { ReactNode } from 'react';
import { classes } from './classes.ts';

type ListBarProps = {
  /** A SearchInput; at the right end when there are chips. */
  search: ReactNode;
  /** Filter chips. */
  children?: ReactNode;
};

/** What narrows a list down, above it. */
export function ListBar({ search, children }: ListBarProps) {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      {children}
      <div className={classes('w-full sm:w-64', children ? 'sm:ml-auto' : undefined)}>{search}</div>
    </div>
  );
}
