import type { Entry } from './entry.ts';

/** The commands of whoever operates a gateway. */
export const OPERATOR_ENTRIES: readonly Entry[] = [
  {
    path: ['logout'],
    summary: 'End the session, at the gateway and here.',
    load: async () => (await import('./commands/logout.ts')).logout,
  },
  {
    path: ['profile', 'list'],
    summary: 'List the gateways that this user is signed in to.',
    load: async () => (await import('./commands/profile/list.ts')).list,
  },
  {
    path: ['node', 'list'],
    summary: 'List the nodes and how they are.',
    load: async () => (await import('./commands/node/list.ts')).list,
  },
  {
    path: ['node', 'show'],
    summary: 'Show everything about a node.',
    load: async () => (await import('./commands/node/show.ts')).show,
  },
  {
    path: ['node', 'create'],
    summary: 'Create a node and its first access token.',
    load: async () => (await import('./commands/node/create.ts')).create,
  },
  {
    path: ['node', 'edit'],
    summary: 'Change a node.',
    load: async () => (await import('./commands/node/edit.ts')).edit,
  },
  {
    path: ['node', 'delete'],
    summary: 'Delete a node, its services and its access tokens.',
    load: async () => (await import('./commands/node/delete.ts')).remove,
  },
  {
    path: ['node', 'enable'],
    summary: 'Let a node connect again.',
    load: async () => (await import('./commands/node/enable.ts')).enable,
  },
  {
    path: ['node', 'disable'],
    summary: 'Disconnect a node.',
    load: async () => (await import('./commands/node/disable.ts')).disable,
  },
  {
    path: ['node', 'config'],
    summary: "Print a node's WireGuard configuration.",
    load: async () => (await import('./commands/node/config.ts')).config,
  },
  {
    path: ['domain', 'list'],
    summary: 'List the domains.',
    load: async () => (await import('./commands/domain/list.ts')).list,
  },
  {
    path: ['domain', 'show'],
    summary: 'Show everything about a domain.',
    load: async () => (await import('./commands/domain/show.ts')).show,
  },
  {
    path: ['domain', 'create'],
    summary: 'Add a domain.',
    load: async () => (await import('./commands/domain/create.ts')).create,
  },
  {
    path: ['domain', 'edit'],
    summary: 'Change a domain.',
    load: async () => (await import('./commands/domain/edit.ts')).edit,
  },
  {
    path: ['domain', 'delete'],
    summary: 'Delete a domain and its services.',
    load: async () => (await import('./commands/domain/delete.ts')).remove,
  },
  {
    path: ['service', 'list'],
    summary: 'List the services of all nodes, and whether their backends answer.',
    load: async () => (await import('./commands/service/list.ts')).list,
  },
  {
    path: ['service', 'show'],
    summary: 'Show everything about a service.',
    load: async () => (await import('./commands/service/show.ts')).show,
  },
  {
    path: ['service', 'create', 'http'],
    summary: 'Expose a web server of a node.',
    load: async () => (await import('./commands/service/create/http.ts')).http,
  },
  {
    path: ['service', 'create', 'tcp'],
    summary: 'Expose a TCP or UDP port of a node.',
    load: async () => (await import('./commands/service/create/tcp.ts')).tcp,
  },
  {
    path: ['service', 'edit'],
    summary: 'Change a service.',
    load: async () => (await import('./commands/service/edit.ts')).edit,
  },
  {
    path: ['service', 'delete'],
    summary: 'Delete a service.',
    load: async () => (await import('./commands/service/delete.ts')).remove,
  },
  {
    path: ['service', 'enable'],
    summary: 'Open a service to visitors.',
    load: async () => (await import('./commands/service/enable.ts')).enable,
  },
  {
    path: ['service', 'disable'],
    summary: 'Close a service to visitors.',
    load: async () => (await import('./commands/service/disable.ts')).disable,
  },
  {
    path: ['token', 'list'],
    summary: "List a node's access tokens.",
    load: async () => (await import('./commands/token/list.ts')).list,
  },
  {
    path: ['token', 'show'],
    summary: 'Show an access token without its secret.',
    load: async () => (await import('./commands/token/show.ts')).show,
  },
  {
    path: ['token', 'create'],
    summary: 'Make an access token for a node.',
    load: async () => (await import('./commands/token/create.ts')).create,
  },
  {
    path: ['token', 'revoke'],
    summary: 'Refuse an access token from now on.',
    load: async () => (await import('./commands/token/revoke.ts')).revoke,
  },
  {
    path: ['token', 'delete'],
    summary: 'Delete an access token.',
    load: async () => (await import('./commands/token/delete.ts')).remove,
  },
  {
    path: ['logs'],
    summary: 'Show the log of a service or a domain.',
    load: async () => (await import('./commands/logs.ts')).logs,
  },
  {
    path: ['top'],
    summary: 'Watch the nodes and services live.',
    load: async () => (await import('./commands/top.ts')).top,
  },
  {
    path: ['doctor'],
    summary: 'Find out what is wrong, step by step.',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  {
    path: ['open'],
    summary: 'Open the console or a service in a browser.',
    load: async () => (await import('./commands/open.ts')).open,
  },
  {
    path: ['api'],
    summary: 'Send any request to the gateway.',
    load: async () => (await import('./commands/api.ts')).api,
  },
  {
    path: ['completion'],
    summary: 'Print the completion script of a shell.',
    load: async () => (await import('./commands/completion.ts')).completion,
  },
];
