import { isApiError } from '@sallyport/sdk';
import { serviceTypes } from '@sallyport/sdk/contract';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  lazyRouteComponent,
  notFound,
  redirect,
  type RouteComponent,
  type RouterHistory,
} from '@tanstack/react-router';
import type { Connection } from '../data/connection.ts';
import { domainsList, domainsSearch } from '../features/domains/domainsSearch.ts';
import { nodesQuery, nodesSearch } from '../features/nodes/nodesSearch.ts';
import { servicesSearch } from '../features/services/servicesSearch.ts';
import { LoginPage } from '../features/session/LoginPage.tsx';
import { listQuery, listsSearch } from '../state/listView.ts';
import { loginPath, safePath } from '../state/session.ts';
import { ErrorPage } from './ErrorPage.tsx';
import { Root } from './Root.tsx';

// The query cache is not part of what the login page needs.
const importLoad = async () => (await import('../data/queries.ts')).load;

const isId = (text: string) => /^[1-9]\d{0,14}$/.test(text);

/**
 * A page whose address says what it shows. The router hands on what `read` leaves out, so an address that was edited by
 * hand is put right first; Back does not lead to it.
 */
const addressed = <S extends object>(read: (search: Record<string, unknown>) => S) => ({
  validateSearch: read,
  beforeLoad({ location }: { location: { pathname: string; search: object } }) {
    const meant = read({ ...location.search });
    const words = (search: object) =>
      Object.entries(search)
        .map((entry) => JSON.stringify(entry))
        .toSorted()
        .join();
    if (words(meant) === words(location.search)) return;
    redirect({ to: location.pathname, search: meant as never, replace: true, throw: true });
  },
});

/** What fails before the shell is there stands alone. */
const alone = { errorComponent: (failure: ErrorComponentProps) => <ErrorPage {...failure} alone /> };

const root = createRootRouteWithContext<{ connection: Connection }>()({
  component: Root,
  notFoundComponent: lazyRouteComponent(() => import('./NotFoundPage.tsx'), 'NotFoundPage'),
  // The session that this browser keeps is taken up once after a load of the page.
  beforeLoad: ({ context: { connection } }) => connection.session.restore(),
  ...alone,
});

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: (search: Record<string, unknown>): { redirect?: string } =>
    typeof search['redirect'] === 'string' ? { redirect: search['redirect'] } : {},
  beforeLoad({ context: { connection }, search }) {
    if (connection.session.token() !== null) redirect({ href: safePath(search.redirect), replace: true, throw: true });
  },
  component: LoginPage,
  ...alone,
});

const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  beforeLoad({ context: { connection }, location }) {
    if (connection.session.token() === null) redirect({ href: loginPath(location.href), replace: true, throw: true });
  },
  component: lazyRouteComponent(() => import('./Shell.tsx'), 'Shell'),
  ...alone,
});

const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  component: lazyRouteComponent(() => import('./HomeScreen.tsx'), 'HomeScreen'),
});

const nodes = createRoute({
  getParentRoute: () => shell,
  path: '/nodes',
  ...addressed(nodesSearch),
  loaderDeps: ({ search }) => search,
  loader: async ({ context: { connection }, deps }) => {
    const load = await importLoad();
    // A note of what the gateway lacks stands above the rows, and would move them.
    const config = load(connection, 'system.config', {}).catch(() => null);
    await load(connection, 'node.list', { query: nodesQuery(deps) });
    await config;
  },
  component: lazyRouteComponent(() => import('../features/nodes/NodesPage.tsx'), 'NodesPage'),
});

const node = createRoute({
  getParentRoute: () => shell,
  path: '/nodes/$id',
  ...addressed(listsSearch),
  loader: async ({ context: { connection }, params }) => {
    if (!isId(params.id)) notFound({ throw: true });
    const load = await importLoad();
    try {
      await load(connection, 'node.get', { params: { id: Number(params.id) } });
    } catch (error) {
      if (isApiError(error, 'missing')) notFound({ throw: true });
      throw error;
    }
  },
  component: lazyRouteComponent(() => import('../features/nodes/NodePage.tsx'), 'NodePage'),
  notFoundComponent: lazyRouteComponent(() => import('../features/nodes/NodePage.tsx'), 'NodeMissing'),
});

const services = createRoute({
  getParentRoute: () => shell,
  path: '/services',
  ...addressed(servicesSearch),
  loaderDeps: ({ search }) => search,
  // Asked for while the screen is drawn, which waits for it by itself, and says so where it fails.
  loader: ({ context: { connection }, deps }) =>
    void import('../features/services/ServicesPage.tsx')
      .then(({ loadServices }) => loadServices(connection, deps))
      .catch(() => undefined),
  component: lazyRouteComponent(() => import('../features/services/ServicesPage.tsx'), 'ServicesPage'),
});

/** What is shown of one service, by the numbers of its node and its own. */
const ofService = {
  getParentRoute: () => shell,
  beforeLoad({ params: { nodeId, type, id } }: { params: { nodeId: string; type: string; id: string } }) {
    const known = (serviceTypes as readonly string[]).includes(type);
    if (!known || !isId(nodeId) || !isId(id)) notFound({ throw: true });
  },
};

const service = createRoute({
  ...ofService,
  path: '/nodes/$nodeId/$type/$id',
  component: lazyRouteComponent(() => import('../features/services/ServicePage.tsx'), 'ServicePage'),
});

const serviceLogs = createRoute({
  ...ofService,
  path: '/nodes/$nodeId/$type/$id/logs',
  component: lazyRouteComponent(() => import('../features/logs/LogsPages.tsx'), 'ServiceLogsPage'),
});

const domains = createRoute({
  getParentRoute: () => shell,
  path: '/domains',
  ...addressed(domainsSearch),
  loaderDeps: ({ search }) => search,
  loader: async ({ context: { connection }, deps }) => {
    const load = await importLoad();
    await load(connection, 'domain.list', { query: listQuery(domainsList, deps) });
  },
  component: lazyRouteComponent(() => import('../features/domains/DomainsPage.tsx'), 'DomainsPage'),
});

const domainLogs = createRoute({
  getParentRoute: () => shell,
  path: '/domains/$domain/logs',
  component: lazyRouteComponent(() => import('../features/logs/LogsPages.tsx'), 'DomainLogsPage'),
});

const ofSettings = {
  getParentRoute: () => shell,
  ...addressed(listsSearch),
  component: lazyRouteComponent(() => import('../features/settings/SettingsPage.tsx'), 'SettingsPage'),
};
const settings = createRoute({ ...ofSettings, path: '/settings' });
const settingsGroup = createRoute({ ...ofSettings, path: '/settings/$group' });

const routeTree = root.addChildren([
  login,
  shell.addChildren([home, nodes, node, services, service, serviceLogs, domains, domainLogs, settings, settingsGroup]),
]);

/** The site map of the console. */
export function createConsoleRouter(connection: Connection, history?: RouterHistory) {
  return createRouter({
    routeTree,
    context: { connection },
    ...(history ? { history } : {}),
    defaultErrorComponent: ErrorPage,
    // Whatever is not on the map is one and the same page, whichever path it lies under.
    notFoundMode: 'root',
    defaultPreload: 'intent',
    // The query cache decides what is fresh.
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
  });
}

/** Fetches the code of what the router's address shows, all at once, which it would ask for one after the other. */
export async function prefetchScreen(router: ConsoleRouter): Promise<void> {
  const [routes] = router.getMatchedRoutes(router.latestLocation.pathname);
  const components = routes.map(({ options }): RouteComponent | undefined => options.component);
  // What cannot be fetched is asked for again when it is to be drawn, and told then.
  await Promise.allSettled(components.map(async (component) => await component?.preload?.()));
}

export type ConsoleRouter = ReturnType<typeof createConsoleRouter>;

declare module '@tanstack/react-router' {
  interface Register {
    router: ConsoleRouter;
  }
}
