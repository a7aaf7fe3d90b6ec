import { EXIT_CODES } from './failure.ts';
import type { AnyCommand } from './context.ts';

/** One command: where it stands in the tree, and the file that is loaded when it is used. */
export type Entry = { path: readonly [string, ...string[]]; summary: string; load: () => Promise<AnyCommand> };

/** The commands of a host that joins a gateway. */
export const HOST_ENTRIES: readonly Entry[] = [
  {
    path: ['login'],
    summary: 'Join a gateway with this host, or sign in as its operator.',
    load: async () => (await import('./commands/login.ts')).login,
  },
  {
    path: ['config'],
    summary: "Write this host's configuration without connecting.",
    load: async () => (await import('./commands/config.ts')).config,
  },
  {
    path: ['connect'],
    summary: 'Connect this host to its gateway.',
    load: async () => (await import('./commands/connect.ts')).connect,
  },
  {
    path: ['disconnect'],
    summary: 'Disconnect this host.',
    load: async () => (await import('./commands/disconnect.ts')).disconnect,
  },
  {
    path: ['status'],
    summary: 'Show how this host is connected and what it exposes.',
    load: async () => (await import('./commands/status.ts')).status,
  },
  {
    path: ['http'],
    summary: 'Expose a web server of this host.',
    load: async () => (await import('./commands/http.ts')).http,
  },
  {
    path: ['tcp'],
    summary: 'Expose a TCP or UDP port of this host.',
    load: async () => (await import('./commands/tcp.ts')).tcp,
  },
  {
    path: ['enable'],
    summary: 'Open a service of this host again.',
    load: async () => (await import('./commands/enable.ts')).enable,
  },
  {
    path: ['disable'],
    summary: 'Close a service of this host.',
    load: async () => (await import('./commands/disable.ts')).disable,
  },
  {
    path: ['gateway'],
    summary: 'Change the subnet behind this host.',
    load: async () => (await import('./commands/gateway.ts')).gateway,
  },
  {
    path: ['regenerate'],
    summary: "Renew this host's keys and token.",
    load: async () => (await import('./commands/regenerate.ts')).regenerate,
  },
  {
    path: ['service', 'install'],
    summary: 'Have systemd keep this host connected.',
    load: async () => (await import('./commands/service/install.ts')).install,
  },
  {
    path: ['service', 'uninstall'],
    summary: 'Remove the service that keeps this host connected.',
    load: async () => (await import('./commands/service/uninstall.ts')).uninstall,
  },
  {
    path: ['service', 'status'],
    summary: 'Say whether that service runs.',
    load: async () => (await import('./commands/service/status.ts')).status,
  },
  {
    path: ['service', 'run'],
    summary: 'Keep this host connected, in the foreground.',
    load: async () => (await import('./commands/service/run.ts')).run,
  },
];

/** The commands of operators. */
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

// What the parser is told, without the parser: the first words of the program need no more.

/** The tree. A command's file is found by its path: `node list` is `commands/node/list.ts`. */
export const ENTRIES: readonly Entry[] = [...HOST_ENTRIES, ...OPERATOR_ENTRIES];

/** What stands between the program and its commands. */
export const GROUPS: Readonly<Record<string, string>> = {
  profile: 'The gateways that this user is signed in to.',
  node: 'Nodes and gateways.',
  domain: 'The names that the gateway answers for.',
  service: 'What visitors can reach, and the service of this host that keeps it connected.',
  'service create': 'Expose something new.',
  token: 'The access tokens by which nodes sign in.',
};

export const ABOUT = 'Operate a Sallyport gateway from the command line.';

/** The flags that every command has, and what each is for; `Globals` holds their values. */
export const GLOBAL_FLAGS: readonly (readonly [flags: string, text: string])[] = [
  ['--profile <name>', 'the session to use (else SALLYPORT_PROFILE, else "default")'],
  ['--url <url>', 'the gateway (else SALLYPORT_URL, else the address of the profile)'],
  ['--config <file>', "the host's configuration (else SALLYPORT_CONFIG, else /etc/sallyport/config.json)"],
  ['--json', 'print JSON of a fixed shape'],
  ['--quiet', 'print no messages, only results and errors'],
  ['--no-input', 'never ask; fail instead'],
  ['--no-color', 'print no colours (NO_COLOR does the same)'],
];
export const VERSION_FLAG = ['-v, --version', 'print the version'] as const;
export const HELP_FLAG = ['-h, --help', 'print help'] as const;

/** What stands below the help of the whole program. */
export const AFTER_HELP = `Exit codes: ${Object.values(EXIT_CODES)
  .map(({ code }) => code)
  .join(', ')}; docs/cli.md says what each means.`;
