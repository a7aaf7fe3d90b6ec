import type { ReactNode } from 'react';

/** The content column of a screen: its width, its padding and the distance between its parts. */
export function Page({ children }: { children: ReactNode }) {
  return (
    <div className="mx-auto flex w-full max-w-page flex-col gap-4 px-3 pt-4 pb-12 sm:px-6 sm:pt-6 lg:px-8">
      {children}
    </div>
  );
}
