import type { ReactNode } from 'react';
import { Mark } from './Brand.tsx';

type LoginFrameProps = {
  title: ReactNode;
  /** The fields and the button. */
  children: ReactNode;
  /** Under the card: the terms. */
  footer?: ReactNode;
};

/** The page before the door: a card in the middle, without the shell. */
export function LoginFrame({ title, children, footer }: LoginFrameProps) {
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center gap-5 px-3 py-8">
      <div className="flex items-center gap-3">
        <Mark size={36} />
        <span className="text-xl font-semibold tracking-tight">Sallyport</span>
      </div>
      <div className="w-full max-w-88 rounded-lg border border-line bg-surface p-6 shadow-card">
        <h1 className="mb-4 text-lg font-semibold tracking-tight">{title}</h1>
        <div className="flex flex-col gap-4">{children}</div>
      </div>
      {footer ? <p className="max-w-88 text-center text-xs text-muted">{footer}</p> : null}
    </main>
  );
}
