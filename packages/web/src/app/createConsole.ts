import type { RouterHistory } from '@tanstack/react-router';
import { createConnection, type Connection, type ConnectionPorts } from '../data/connection.ts';
import { createConsoleRouter, type ConsoleRouter } from './router.tsx';

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
