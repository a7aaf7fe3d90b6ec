import type { ReactNode } from 'react';
import { Mark } from '../ui/Mark.tsx';

type PlainProps = { title: ReactNode; children?: ReactNode; action: ReactNode };

/** A screen that only says something and leads away. */
export function Plain({ title, children, action }: PlainProps) {
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center gap-4 px-4 py-12 text-center">
      <Mark size={48} />
      <h1 className="max-w-md text-xl font-semibold tracking-tight text-balance">{title}</h1>
      {children ? <div className="max-w-md text-muted">{children}</div> : null}
      {action}
    </main>
  );
}
