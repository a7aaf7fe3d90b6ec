import { formatExact } from '@sallyport/sdk';
import { useRouterState } from '@tanstack/react-router';
import { Moon, Sun, SunMoon } from 'lucide-react';
import { useState } from 'react';
import { useConnection } from '../data/connection.ts';
import type { SessionEnd } from '../state/session.ts';
import { theme, useStore } from '../state/store.ts';

const THEMES = {
  auto: { next: 'light', icon: SunMoon },
  light: { next: 'dark', icon: Sun },
  dark: { next: 'auto', icon: Moon },
} as const;

/** The theme, and the change to the next one: from auto to light and dark. */
export function useTheme() {
  const chosen = useStore(theme);
  const { next, icon } = THEMES[chosen];
  return { chosen, next, icon, change: () => theme.set(next) };
}

/** What is true of a session that the gateway still has. */
const untold = ({ endsAt, hadKey }: SessionEnd) =>
  hadKey
    ? `Signed out. The gateway could not be told: the session there ends at ${formatExact(endsAt)}, and is of no use without the key that this browser has just deleted.`
    : `Signed out in this tab. The gateway could not be told: the session there ends at ${formatExact(endsAt)}.`;

/** Ends the session; the path on the screen is where the next one begins. */
export function useSignOut() {
  const { session } = useConnection();
  const path = useRouterState({ select: (state) => state.location.href });
  const [busy, setBusy] = useState(false);
  const signOut = async () => {
    setBusy(true);
    const end = await session.end(path);
    setBusy(false);
    if (end !== null && !end.told) session.notice.set(untold(end));
  };
  return { busy, signOut: () => void signOut() };
}
