/**
 * What is loaded when it is wanted: the frame of the signed-in administrator, the query cache, and each screen. The router
 * draws them; `ahead.ts` has those of the first screen fetched before there is a router.
 */
export const screens = {
  shell: () => import('./Shell.tsx'),
  load: () => import('../data/load.ts'),
  home: () => import('../features/home/HomePage.tsx'),
  nodes: () => import('../features/nodes/NodesPage.tsx'),
  node: () => import('../features/nodes/NodePage.tsx'),
  nodeMissing: () => import('../features/nodes/NodeMissing.tsx'),
  nodeForm: () => import('../features/nodes/openNodeForm.tsx'),
  domains: () => import('../features/domains/DomainsPage.tsx'),
  serviceLogs: () => import('../features/logs/ServiceLogsPage.tsx'),
  notFound: () => import('./NotFoundPage.tsx'),
  domainLogs: () => import('../features/logs/DomainLogsPage.tsx'),
};
