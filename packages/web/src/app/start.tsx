import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import * as z from 'zod/mini';
import { createSessionKeeper, type SessionKeeper } from '../state/keptSession.ts';
import { createOtherTabs } from '../state/otherTabs.ts';
import { applyTheme } from '../state/preferences.ts';
import { App, createConsole } from './createConsole.tsx';
import { prefetchScreen, type ConsoleRouter } from './router.tsx';

// The Content-Security-Policy forbids code made from text, which zod would try.
z.config({ jitless: true });

/** Draws the console in the page. */
export function start(): void {
  applyTheme();
  const place = document.getElementById('root');
  if (!place) throw new Error('index.html has no #root');
  const keeper = createSessionKeeper();
  const { connection, router } = createConsole({ baseUrl: '', keeper, tabs: createOtherTabs() });
  void prefetchWith(keeper, router);
  createRoot(place).render(
    <StrictMode>
      <App connection={connection} router={router} />
    </StrictMode>,
  );
}

/** Fetches the screen while the gateway is asked whether the session lasts. Without a session, the login page is all there is. */
async function prefetchWith(keeper: SessionKeeper, router: ConsoleRouter): Promise<void> {
  if ((await keeper.read()) !== null) await prefetchScreen(router);
}
