import type { ReactNode } from 'react';
import { Mark } from '../ui/layout/Mark.tsx';

type PlainProps = {
  title: ReactNode;
  children?: ReactNode;
  action: ReactNode;
  /** The shell stands around it. */
  within?: boolean | undefined;
  /** Nobody asked for it: it is read out at once. */
  urgent?: boolean | undefined;
};

/** A screen that only says something and leads away. */
export function Plain({ title, children, action, within = false, urgent = false }: PlainProps) {
  const Frame = within ? 'div' : 'main';
  return (
    <Frame
      className={`flex flex-col items-center justify-center gap-4 px-4 py-12 text-center ${within ? 'flex-1' : 'min-h-dvh'}`}
    >
      {within ? null : <Mark size={48} />}
      <div {...(urgent ? { role: 'alert' } : {})} className="flex max-w-md flex-col gap-4">
        <h1 className="text-xl font-semibold tracking-tight text-balance">{title}</h1>
        {children ? <div className="text-muted">{children}</div> : null}
      </div>
      {action}
    </Frame>
  );
}
