import type { ReactNode } from 'react';
import { classes } from './classes.ts';

type MessagePageProps = {
  /** The way to this page: a Breadcrumb. */
  breadcrumb?: ReactNode;
  /** A lucide icon, 24 px. */
  icon: ReactNode;
  title: ReactNode;
  /** A sentence: why, or what it means. */
  children?: ReactNode;
  /** The way forward, and at most one further way. */
  action: ReactNode;
  /** The shell stands around it. */
  within?: boolean | undefined;
  /** No one asked for it: it is read out at once. */
  urgent?: boolean | undefined;
};

/** A screen that only says something and leads away: what is not there, and what went wrong. */
export function MessagePage({
  breadcrumb,
  icon,
  title,
  children,
  action,
  within = false,
  urgent = false,
}: MessagePageProps) {
  const Frame = within ? 'div' : 'main';
  return (
    <Frame
      className={classes(
        'mx-auto flex w-full max-w-page flex-col px-3 py-4 sm:px-6 sm:py-6 lg:px-8',
        within ? 'flex-1' : 'min-h-dvh',
      )}
    >
      {breadcrumb}
      {/* A third of the height lies above it, two thirds below. */}
      <div className="flex flex-1 flex-col items-center gap-4 py-8 text-center before:flex-1 after:flex-2">
        <span className="inline-flex size-10 items-center justify-center rounded-md bg-hover text-muted">{icon}</span>
        <div {...(urgent ? { role: 'alert' } : {})} className="flex max-w-md flex-col gap-2">
          <h1 className="text-xl font-semibold tracking-tight text-balance wrap-anywhere">{title}</h1>
          {children ? <div className="text-pretty text-muted">{children}</div> : null}
        </div>
        <div className="flex flex-wrap justify-center gap-2">{action}</div>
      </div>
    </Frame>
  );
}
