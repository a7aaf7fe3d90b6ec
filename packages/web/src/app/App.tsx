import { RouterProvider } from '@tanstack/react-router';
import { ConnectionProvider, type Connection } from '../data/connection.ts';
import type { ConsoleRouter } from './router.tsx';

/** The console: its screens, and their tie to a gateway. */
export function App({ connection, router }: { connection: Connection; router: ConsoleRouter }) {
  return (
    <ConnectionProvider value={connection}>
      <RouterProvider router={router} />
    </ConnectionProvider>
  );
}
