import { useBlocker } from '@tanstack/react-router';
import { DISCARD, LeaveDialog } from '../ui/overlays/LeaveDialog.tsx';
import type { FormFrame } from './FormDialog.tsx';

/** Asks before a screen is left on which a form has something in it that is not saved. */
export function LeaveGuard({ isChanged }: Pick<FormFrame, 'isChanged'>) {
  const blocker = useBlocker({
    // Anyone who is signed out goes in any case.
    shouldBlockFn: ({ current, next }) =>
      next.pathname !== current.pathname && next.routeId !== '/login' && isChanged(),
    enableBeforeUnload: isChanged,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  return <LeaveDialog {...DISCARD} onStay={blocker.reset} onLeave={blocker.proceed} />;
}
