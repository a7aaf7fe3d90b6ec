import { type RouterHistory, RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import * as z from 'zod/mini';
import { type Connection, type ConnectionPorts, ConnectionProvider, createConnection } from '../data/connection.ts';
import { createOtherTabs, createSessionKeeper, type SessionKeeper } from '../state/keptSession.ts';
import { applyTheme } from '../state/store.ts';
import { type ConsoleRouter, createConsoleRouter, prefetchScreen } from './router.tsx';

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

type ConsoleOptions = Pick<ConnectionPorts, 'keeper' | 'tabs'> & {
  /** The gateway's address; `''` is the page's own origin. */
  baseUrl: string;
  /** What carries the requests: the browser's own unless given. */
  fetch?: (request: Request) => Promise<Response>;
  history?: RouterHistory;
};

/** Joins the console's router with its connection: each needs the other. */
export function createConsole({ baseUrl, fetch, history, keeper, tabs }: ConsoleOptions): {
  connection: Connection;
  router: ConsoleRouter;
} {
  const connection = createConnection({
    baseUrl,
    keeper,
    tabs,
    ...(fetch ? { fetch } : {}),
    navigate: (href) => router.navigate({ href }),
    reload: (href) => location.assign(href),
    currentPath: () => router.state.location.href,
  });
  const router: ConsoleRouter = createConsoleRouter(connection, history);
  return { connection, router };
}

/** The console: its screens, and their tie to a gateway. */
export function App({ connection, router }: { connection: Connection; router: ConsoleRouter }) {
  return (
    <ConnectionProvider value={connection}>
      <RouterProvider router={router} />
    </ConnectionProvider>
  );
}
