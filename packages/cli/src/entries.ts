import { EXIT_CODES } from './failure.ts';
import type { AnyCommand } from './context.ts';

/** One command: where it stands in the tree, and how its file is loaded when it is used. */
export type Entry = { path: readonly [string, ...string[]]; summary: string; load: () => Promise<AnyCommand> };

/** The command that `file` exports by `name`. */
const entry = <N extends string>(
  path: Entry['path'],
  summary: string,
  file: () => Promise<{ readonly [name in N]: AnyCommand }>,
  name: N,
): Entry => ({ path, summary, load: async () => (await file())[name] });
const node = () => import('./commands/node.ts');
const domain = () => import('./commands/domain.ts');
const token = () => import('./commands/token.ts');
const apiToken = () => import('./commands/apiToken.ts');
const session = () => import('./commands/session.ts');
const service = () => import('./commands/service.ts');
const serviceSave = () => import('./commands/serviceSave.ts');
const hostService = () => import('./commands/hostService.ts');
const expose = () => import('./commands/expose.ts');
const connect = () => import('./commands/connect.ts');
const hostNode = () => import('./commands/hostNode.ts');
const profile = () => import('./commands/profile.ts');
const login = () => import('./commands/login.ts');
const join = () => import('./commands/join.ts');
const joinKey = () => import('./commands/joinKey.ts');
const config = () => import('./commands/config.ts');
const status = () => import('./commands/status.ts');
const logs = () => import('./commands/logs.ts');
const top = () => import('./commands/top.ts');
const doctor = () => import('./commands/doctor.ts');
const open = () => import('./commands/open.ts');
const api = () => import('./commands/api.ts');
const completion = () => import('./commands/completion.ts');

/** The tree, in the order in which the help shows it: what a host that joins a gateway needs, then what operators do. */
export const ENTRIES: readonly Entry[] = [
  entry(['login'], 'Join a gateway with this host, or sign in as its operator.', login, 'login'),
  entry(['join'], 'Join a gateway with this host, by a code.', join, 'join'),
  entry(['config'], "Write this host's configuration without connecting.", config, 'config'),
  entry(['connect'], 'Connect this host to its gateway.', connect, 'connect'),
  entry(['disconnect'], 'Disconnect this host.', connect, 'disconnect'),
  entry(['status'], 'Show how this host is connected and what it exposes.', status, 'status'),
  entry(['http'], 'Expose a web server of this host.', expose, 'http'),
  entry(['tcp'], 'Expose a TCP or UDP port of this host.', expose, 'tcp'),
  entry(['enable'], 'Open a service of this host again.', expose, 'enable'),
  entry(['disable'], 'Close a service of this host.', expose, 'disable'),
  entry(['gateway'], 'Change the subnet behind this host.', hostNode, 'gateway'),
  entry(['regenerate'], "Renew this host's keys and token.", hostNode, 'regenerate'),
  entry(['service', 'install'], 'Have systemd keep this host connected.', hostService, 'install'),
  entry(['service', 'uninstall'], 'Remove the service that keeps this host connected.', hostService, 'uninstall'),
  entry(['service', 'status'], 'Say whether that service runs.', hostService, 'status'),
  entry(['service', 'run'], 'Keep this host connected, in the foreground.', hostService, 'run'),
  entry(['logout'], 'End the session, at the gateway and here.', profile, 'logout'),
  entry(['profile', 'list'], 'List the gateways that this user is signed in to.', profile, 'list'),
  entry(['node', 'list'], 'List the nodes and how they are.', node, 'list'),
  entry(['node', 'show'], 'Show everything about a node.', node, 'show'),
  entry(['node', 'create'], 'Create a node and its first access token.', node, 'create'),
  entry(['node', 'edit'], 'Change a node.', node, 'edit'),
  entry(['node', 'delete'], 'Delete a node, its services and its access tokens.', node, 'remove'),
  entry(['node', 'enable'], 'Let a node connect again.', node, 'enable'),
  entry(['node', 'disable'], 'Disconnect a node.', node, 'disable'),
  entry(['node', 'config'], "Print a node's WireGuard configuration.", node, 'config'),
  entry(['domain', 'list'], 'List the domains.', domain, 'list'),
  entry(['domain', 'show'], 'Show everything about a domain.', domain, 'show'),
  entry(['domain', 'dns'], 'Look up where a domain leads.', domain, 'dns'),
  entry(['domain', 'create'], 'Add a domain.', domain, 'create'),
  entry(['domain', 'edit'], 'Change a domain.', domain, 'edit'),
  entry(['domain', 'delete'], 'Delete a domain and its services.', domain, 'remove'),
  entry(['service', 'list'], 'List the services of all nodes, and whether their backends answer.', service, 'list'),
  entry(['service', 'show'], 'Show everything about a service.', service, 'show'),
  entry(['service', 'create', 'http'], 'Expose a web server of a node.', serviceSave, 'http'),
  entry(['service', 'create', 'tcp'], 'Expose a TCP or UDP port of a node.', serviceSave, 'tcp'),
  entry(['service', 'edit'], 'Change a service.', serviceSave, 'edit'),
  entry(['service', 'delete'], 'Delete a service.', service, 'remove'),
  entry(['service', 'enable'], 'Open a service to visitors.', service, 'enable'),
  entry(['service', 'disable'], 'Close a service to visitors.', service, 'disable'),
  entry(['token', 'list'], "List a node's access tokens.", token, 'list'),
  entry(['token', 'show'], 'Show an access token without its secret.', token, 'show'),
  entry(['token', 'create'], 'Make an access token for a node.', token, 'create'),
  entry(['token', 'revoke'], 'Refuse an access token from now on.', token, 'revoke'),
  entry(['token', 'delete'], 'Delete an access token.', token, 'remove'),
  entry(['join-key', 'list'], 'List the keys by which hosts join.', joinKey, 'list'),
  entry(['join-key', 'create'], 'Make a key by which hosts join.', joinKey, 'create'),
  entry(['join-key', 'delete'], 'Delete such a key.', joinKey, 'remove'),
  entry(['api-token', 'list'], 'List the API tokens.', apiToken, 'list'),
  entry(['api-token', 'create'], 'Make a token for a program.', apiToken, 'create'),
  entry(['api-token', 'delete'], 'Delete an API token.', apiToken, 'remove'),
  entry(['session', 'list'], 'List the sessions of the administrator.', session, 'list'),
  entry(['session', 'end'], 'End sessions of the administrator.', session, 'end'),
  entry(['password'], "Change the administrator's password.", session, 'password'),
  entry(['logs'], 'Show the log of a service or a domain.', logs, 'logs'),
  entry(['top'], 'Watch the nodes and services live.', top, 'top'),
  entry(['doctor'], 'Find out what is wrong, step by step.', doctor, 'doctor'),
  entry(['open'], 'Open the console or a service in a browser.', open, 'open'),
  entry(['api'], 'Send any request to the gateway.', api, 'api'),
  entry(['completion'], 'Print the completion script of a shell.', completion, 'completion'),
];

// What the parser is told, without the parser: the first words of the program need no more.

/** What stands between the program and its commands. */
export const GROUPS: Readonly<Record<string, string>> = {
  profile: 'The gateways that this user is signed in to.',
  node: 'Nodes and gateways.',
  domain: 'The names that the gateway answers for.',
  service: 'What visitors can reach, and the service of this host that keeps it connected.',
  'service create': 'Expose something new.',
  token: 'The access tokens by which nodes sign in.',
  'join-key': 'The keys by which hosts join without a password.',
  'api-token': "Tokens for programs, with a part of the administrator's rights.",
  session: 'Where the administrator is signed in.',
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

/** A narrower column of help is harder to read than lines that the terminal breaks, also within words. */
export const TEXT_MIN_COLUMNS = 20;

/** What stands below the help of the whole program. */
export const AFTER_HELP = [
  'Exit codes:',
  ...Object.values(EXIT_CODES).map(({ code, meaning }) => `  ${String(code).padEnd(5)}${meaning}`),
].join('\n');
