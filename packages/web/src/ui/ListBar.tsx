import type { ReactNode } from 'react';

type ListBarProps = {
  /** A SearchInput, at the right end. */
  search: ReactNode;
  /** Filter chips. */
  children?: ReactNode;
};

/** What narrows a list down, above it. */
export function ListBar({ search, children }: ListBarProps) {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      {children}
      <div className="w-full sm:ml-auto sm:w-64">{search}</div>
    </div>
  );
}
