import { createTestGateway, TEST_ADMIN, type TestGateway } from '@sallyport/gateway/testing';
import { SHARED_STREAM_PATH } from '@sallyport/sdk/contract';
import { createMemoryHistory } from '@tanstack/react-router';
import { cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { vi } from 'vitest';
import type { ConsoleRouter } from '../app/router.tsx';
import { App, createConsole } from '../app/start.tsx';
import type { Connection } from '../data/connection.ts';
import { closeDialogs } from '../state/dialogs.ts';
import type { KeptSession, OtherTabs, SessionKeeper, TabMessage } from '../state/keptSession.ts';
import { toasts } from '../state/toasts.ts';

type Reply = (request: Request) => Response | Promise<Response>;

/** The console in this process, on a gateway in this process. */
export type OpenConsole = {
  gateway: TestGateway;
  connection: Connection;
  router: ConsoleRouter;
  /** The gateway's ids of what was seeded. */
  ids: Awaited<ReturnType<TestGateway['seed']>>;
  /** Every request that has left the console, as `METHOD /path?query`, but those that come at any time. */
  requests: string[];
  /** Answers the next request to `METHOD /path` in the gateway's place. */
  answer: (endpoint: string, reply: Reply) => void;
  /** Path and query that are shown. */
  path: () => string;
  /** What the browser keeps of the session. */
  keeper: SessionKeeper;
  /** Opens another tab of the same browser, which is not drawn. */
  openTab: (path: string) => Promise<Tab>;
};

type OpenOptions = {
  path?: string;
  /** Whose session there is: the administrator's, one that a reload finds kept, or none. */
  session?: 'started' | 'kept' | 'none';
  /** The settings that the environment of the gateway says. */
  environment?: Record<string, string>;
};

/** Another tab of the same browser. */
export type Tab = Pick<OpenConsole, 'connection' | 'router' | 'path'>;

/** What the tabs of a browser share: the session that is kept, and what they tell each other. */
function testBrowser() {
  let kept: KeptSession | null = null;
  const tabs: ((message: TabMessage) => void)[][] = [];
  const keeper: SessionKeeper = {
    read: async () => kept,
    write: async (session) => void (kept = session),
    remove: async (token) => void (kept = kept?.token === token ? null : kept),
  };
  const newTab = (): OtherTabs => {
    const own: (typeof tabs)[number] = [];
    tabs.push(own);
    return {
      tell: (message) => {
        for (const tab of tabs) if (tab !== own) for (const listener of tab) listener(message);
      },
      listen: (listener) => void own.push(listener),
    };
  };
  return { keeper, newTab };
}

// The real one, before any test has put another in its place.
const say = console.error.bind(console);

/** What went to the browser's console. */
export const reported: unknown[] = [];
/** What became an uncaught error of the page. */
export const uncaught: unknown[] = [];

/** What the sign in the title asks for, whenever it is loaded: no test means that. */
const OF_TITLE_SIGN = /\?(?:status=(?:down|failing)&limit=1|orderBy=status(?:,|%2C)asc&limit=1000)$/;

const gateways: TestGateway[] = [];

/** Whether this browser has the first steps behind it. Until then Home asks for what a test may mean to answer itself. */
export function setFirstRun(state: 'open' | 'over'): void {
  localStorage.setItem('first-run', state);
  globalThis.dispatchEvent(new StorageEvent('storage', { key: 'first-run', newValue: state }));
}

/** Before each test: nothing has been said yet, and nothing is kept but that the first steps are over. */
export function beginTest(): void {
  reported.length = 0;
  localStorage.clear();
  setFirstRun('over');
  uncaught.length = 0;
  vi.stubGlobal('reportError', (error: unknown) => uncaught.push(error));
  vi.spyOn(console, 'error').mockImplementation((...said: unknown[]) => {
    if (said.length === 1 && said[0] instanceof Error) reported.push(said[0]);
    else say(...said);
  });
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

/** The streams that were asked for, alone or over a shared connection, as `/path?query`. */
export const streamsIn = (requests: readonly string[]): string[] =>
  requests.flatMap((request) => {
    const { pathname, search, searchParams } = new URL(request.slice('GET '.length), 'http://gateway.test');
    const lines = pathname === SHARED_STREAM_PATH ? (searchParams.get('of')?.split('\n') ?? []) : [pathname + search];
    return lines.map((line) => line.split('#')[0] ?? '').filter((line) => line.includes('/stream'));
  });

/** Opens the console at a path, on a gateway with two nodes, a domain and two services. */
export async function openConsole({
  path = '/',
  session = 'started',
  environment,
}: OpenOptions = {}): Promise<OpenConsole> {
  const gateway = await createTestGateway(environment === undefined ? {} : { environment });
  gateways.push(gateway);
  const ids = await gateway.seed();
  const requests: string[] = [];
  const answers: { endpoint: string; reply: Reply }[] = [];

  const fetch = async (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url);
    const isMeant = !OF_TITLE_SIGN.test(search);
    if (isMeant) requests.push(`${request.method} ${pathname}${search}`);
    const index = answers.findIndex(({ endpoint }) => isMeant && endpoint === `${request.method} ${pathname}`);
    const [entry] = index < 0 ? [] : answers.splice(index, 1);
    const reply = await (entry ? entry.reply(request) : gateway.fetch(request));
    // A server says what its clock says.
    if (!reply.headers.has('date')) reply.headers.set('date', gateway.clock.now().toUTCString());
    return reply;
  };

  const { keeper, newTab } = testBrowser();
  const openAt = (place: string): Tab => {
    const { connection, router } = createConsole({
      baseUrl: 'http://gateway.test',
      fetch,
      history: createMemoryHistory({ initialEntries: [place] }),
      keeper,
      tabs: newTab(),
    });
    return { connection, router, path: () => router.state.location.href };
  };
  // Signed in by another tab, where this one is to find the session kept.
  if (session === 'kept') await openAt('/').connection.session.signIn(TEST_ADMIN);
  const { connection, router, path: shown } = openAt(path);
  const answer = (endpoint: string, reply: Reply) => void answers.push({ endpoint, reply });
  if (session === 'started') {
    await connection.session.signIn(TEST_ADMIN);
    // The gateway's clock is another one; its first refusal of a proof tells, and is not what a test looks at.
    await connection.client.session.me();
  }
  requests.length = 0;
  render(<App connection={connection} router={router} />);
  const openTab = async (place: string) => {
    const tab = openAt(place);
    await tab.router.load();
    return tab;
  };
  return { gateway, connection, router, ids, requests, answer, path: shown, keeper, openTab };
}

/** Routes and dialogs are loaded when they are wanted, and the first time that takes a while. */
const PATIENCE = { timeout: 20_000 };

/** Presses the button of that name, as soon as it is there. */
export async function press(name: string | RegExp): Promise<void> {
  fireEvent.click(await screen.findByRole('button', { name }, PATIENCE));
}

/** Opens a row's menu, or the one of the button that is named; hands out its entries. */
export async function openMenu(row: string, button = `Actions of ${row}`): Promise<HTMLElement[]> {
  await press(button);
  const menu = await screen.findByRole('menu', { name: button }, PATIENCE);
  return within(menu).getAllByRole('menuitem');
}

/** Chooses an action from a row's menu. */
export async function choose(row: string, action: string): Promise<void> {
  const items = await openMenu(row);
  const item = items.find(({ textContent }) => textContent === action);
  if (!item) throw new Error(`${row} offers no ${action}, but ${items.map((one) => one.textContent).join(', ')}`);
  fireEvent.click(item);
}

/** The dialog on the screen. */
export const dialog = (name: string | RegExp): Promise<HTMLElement> => screen.findByRole('dialog', { name }, PATIENCE);

/** Types into the field of that name and leaves it. */
export async function type(label: string | RegExp, text: string): Promise<void> {
  const field = await screen.findByLabelText(label, {}, PATIENCE);
  fireEvent.change(field, { target: { value: text } });
  fireEvent.blur(field);
}

/** Signs in on the login page. */
export async function signIn(): Promise<void> {
  await type(/^Username/, 'admin');
  await type(/^Password/, TEST_ADMIN.password);
  await press('Sign in');
}
