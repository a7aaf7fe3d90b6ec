import type { ReactNode } from 'react';
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
