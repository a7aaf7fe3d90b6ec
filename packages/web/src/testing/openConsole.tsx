import { createTestGateway, TEST_ADMIN, type TestGateway } from '@sallyport/gateway/testing';
import { createMemoryHistory } from '@tanstack/react-router';
import { cleanup, render } from '@testing-library/react';
import { vi } from 'vitest';
import { App } from '../App.tsx';
import { createConsole } from '../createConsole.ts';
import type { Connection } from '../data/connection.ts';
import type { ConsoleRouter } from '../router.tsx';
import { closeDialogs } from '../state/dialogs.ts';
import { toasts } from '../state/toasts.ts';

type Reply = (request: Request) => Response | Promise<Response>;

/** The console in this process, on a gateway in this process. */
export type OpenConsole = {
  gateway: TestGateway;
  connection: Connection;
  router: ConsoleRouter;
  /** The gateway's ids of what was seeded. */
  ids: Awaited<ReturnType<TestGateway['seed']>>;
  /** Every request that has left the console, as `METHOD /path?query`. */
  requests: string[];
  /** Answers the next request to `METHOD /path` in the gateway's place. */
  answer: (endpoint: string, reply: Reply) => void;
  /** Path and query that are shown. */
  path: () => string;
};

type OpenOptions = {
  path?: string;
  /** Whose session there is: the administrator's, one that a reload finds in the cookie, or none. */
  session?: 'started' | 'kept' | 'none';
};

/** What went to the browser's console. */
export const reported: unknown[] = [];

const gateways: TestGateway[] = [];

/** Before each test: nothing has been said yet, and nothing is kept. */
export function beginTest(): void {
  reported.length = 0;
  localStorage.clear();
  vi.stubGlobal('reportError', (error: unknown) => reported.push(error));
}

/** After each test: its console and its gateway are gone, for files share one document. */
export async function endTest(): Promise<void> {
  cleanup();
  closeDialogs();
  toasts.clear();
  await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
}

/** A refusal as the gateway words it. */
export const refusal = (status: number, body: object): Response =>
  Response.json({ status: 'error', requestId: 'r-1', ...body }, { status });

/** Opens the console at a path, on a gateway with two nodes, a domain and two services. */
export async function openConsole({ path = '/', session = 'started' }: OpenOptions = {}): Promise<OpenConsole> {
  const gateway = await createTestGateway();
  gateways.push(gateway);
  const ids = await gateway.seed();
  const requests: string[] = [];
  const answers: { endpoint: string; reply: Reply }[] = [];

  const fetch = async (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url);
    requests.push(`${request.method} ${pathname}${search}`);
    const index = answers.findIndex(({ endpoint }) => endpoint === `${request.method} ${pathname}`);
    const [entry] = index < 0 ? [] : answers.splice(index, 1);
    return await (entry ? entry.reply(request) : gateway.fetch(request));
  };

  const { connection, router } = createConsole({
    baseUrl: 'http://gateway.test',
    fetch,
    history: createMemoryHistory({ initialEntries: [path] }),
  });
  const answer = (endpoint: string, reply: Reply) => void answers.push({ endpoint, reply });
  if (session !== 'none') {
    const { token } = await connection.client.session.login({ body: TEST_ADMIN });
    if (session === 'started') connection.session.start(token);
    else answer('POST /api/auth/session', () => Response.json({ token, expires_in: 60 }));
  }
  requests.length = 0;
  render(<App connection={connection} router={router} />);
  return { gateway, connection, router, ids, requests, answer, path: () => router.state.location.href };
}
