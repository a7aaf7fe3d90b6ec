import { type RouterHistory, RouterProvider } from '@tanstack/react-router';
import { type Connection, type ConnectionPorts, ConnectionProvider, createConnection } from '../data/connection.ts';
import { type ConsoleRouter, createConsoleRouter } from './router.tsx';

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
