import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const CONTRACT_AND_RULES = ['sdk/contract', 'sdk/rules'];
const SDK = ['sdk/index', ...CONTRACT_AND_RULES];
const COMPONENT_LIBRARY = [
  'npm:react',
  'npm:react-dom',
  'npm:@base-ui/react',
  'npm:@floating-ui/react-dom',
  'npm:lucide-react',
  'npm:react-day-picker',
  'npm:qr',
];
const FEATURE_GROUND = ['web/ui', 'web/form', 'web/data', 'web/state', ...SDK, 'npm:*'];
/** These show services and access tokens, too. */
const JOINING_FEATURES = ['nodes', 'domains'];
/** Its page shows its log. */
const SHOWING_LOGS = 'web/features/services';
const PLAIN_FEATURES = readdirSync(join(import.meta.dirname, '../../packages/web/src/features'))
  .filter((name) => !JOINING_FEATURES.includes(name))
  .map((name) => `web/features/${name}`);

const of = (...names) => names.map((name) => `gateway/${name}`);

/** Every module, a folder of its own. Each has at least one source file. */
export const MODULES = [
  ...['contract', 'rules', 'client'].map((name) => `sdk/${name}`),
  ...['ui', 'form', 'data', 'state', 'app'].map((name) => `web/${name}`),
  ...PLAIN_FEATURES,
  ...JOINING_FEATURES.map((name) => `web/features/${name}`),
  ...['commands', 'host', 'ui'].map((name) => `cli/${name}`),
  ...of('api', 'store', 'ingress', 'ingress/render', 'ingress/nginx', 'tunnel', 'tunnel/render', 'tunnel/wireguard'),
  ...of(
    'certificates',
    'dns',
    'logs',
    'health',
    'signin',
    'expiry',
    'vault',
    'rules',
    'machine',
    'start',
    'admin',
    'testing',
  ),
];

/** What is a function of its input alone: folders and files by how their paths begin, below `packages`. */
export const PURE = [
  'ingress/render/',
  'ingress/state.ts',
  'ingress/backends.ts',
  'tunnel/render/',
  'tunnel/plan.ts',
  'rules/',
].map((path) => `gateway/src/${path}`);

/**
 * Who may import whom. What a row does not name is not allowed; a row with `never` alone forbids just that.
 * Node's own parts are no module: what runs on Node has them, unless its row says never.
 * What has no row (main, program, start, router) puts the modules together and may import all.
 */
export const TABLE = [
  { module: 'sdk/contract', may: ['npm:zod'] },
  { module: 'sdk/rules', may: ['sdk/contract'] },
  { module: 'sdk/client', may: ['sdk/contract', 'npm:ofetch', 'npm:eventsource-parser'] },
  { module: 'sdk/*', never: ['node:*', 'web/*', 'cli/*', 'gateway/*'] },

  { module: 'web/ui', may: [...COMPONENT_LIBRARY] },
  ...['form', 'data', 'state'].map((name) => ({ module: `web/${name}`, never: ['web/features/*', 'web/app'] })),
  ...PLAIN_FEATURES.map((module) => ({
    module,
    may: module === SHOWING_LOGS ? [...FEATURE_GROUND, 'web/features/logs'] : FEATURE_GROUND,
  })),
  ...JOINING_FEATURES.map((name) => ({
    module: `web/features/${name}`,
    may: [...FEATURE_GROUND, ...PLAIN_FEATURES],
  })),
  { module: 'web/*', never: ['node:*', 'cli/*', 'gateway/*'] },

  {
    module: 'cli/commands',
    may: ['context', 'failure', 'io', 'find', 'serviceTaken', 'storedFile']
      .map((name) => `cli/${name}`)
      .concat('cli/host', 'cli/ui', ...SDK, 'npm:*'),
    apart: true,
    noProcess: true,
  },
  { module: 'cli/host', never: ['cli/commands', 'cli/program'] },
  { module: 'cli/*', never: ['web/*', 'gateway/*'] },

  {
    module: 'gateway/api',
    may: [...CONTRACT_AND_RULES, 'sdk/openapi', ...of('store', 'world', 'rules'), 'npm:*', 'node:*'],
  },
  {
    module: 'gateway/store',
    may: ['sdk/rules', 'npm:better-sqlite3', 'npm:kysely', 'node:*'],
    typesOnly: ['sdk/contract'],
  },
  {
    module: 'gateway/ingress',
    may: [...of('ingress/render', 'ingress/nginx', 'store', 'world', 'rules', 'certificates'), 'node:*'],
    typesOnly: ['sdk/contract', ...of('tunnel', 'health', 'machine')],
  },
  { module: 'gateway/ingress/render', may: [...of('rules'), 'npm:ipaddr.js'], typesOnly: ['sdk/contract'] },
  {
    module: 'gateway/ingress/nginx',
    may: [...of('machine', 'rules'), 'npm:p-limit', 'node:*'],
    typesOnly: of('world'),
  },
  {
    module: 'gateway/tunnel',
    may: [...of('tunnel/render', 'tunnel/wireguard', 'store', 'world', 'rules', 'vault'), 'node:*'],
    typesOnly: ['sdk/contract'],
  },
  { module: 'gateway/tunnel/render', may: of('rules'), typesOnly: ['sdk/contract'] },
  {
    module: 'gateway/tunnel/wireguard',
    may: [...of('machine', 'rules'), 'npm:p-limit', 'node:*'],
    typesOnly: of('world', 'vault'),
  },
  {
    module: 'gateway/certificates',
    may: [...of('machine', 'vault', 'rules'), 'node:*'],
    typesOnly: ['sdk/contract', ...of('store', 'world')],
  },
  {
    module: 'gateway/logs',
    may: [...of('machine'), 'npm:better-sqlite3', 'npm:p-limit', 'node:*'],
    typesOnly: ['sdk/contract', ...of('store', 'world')],
  },
  {
    module: 'gateway/dns',
    may: ['sdk/rules', ...of('machine', 'rules'), 'npm:p-limit', 'node:*'],
    typesOnly: ['sdk/contract', ...of('world')],
  },
  { module: 'gateway/health', may: [...of('machine', 'rules'), 'node:*'], typesOnly: ['sdk/contract', ...of('world')] },
  {
    module: 'gateway/signin',
    may: ['sdk/contract', ...of('machine', 'store', 'world', 'rules'), 'npm:openid-client', 'node:*'],
  },
  { module: 'gateway/expiry', may: [...of('rules'), 'node:*'], typesOnly: of('store', 'world') },
  { module: 'gateway/vault', may: [...of('machine'), 'node:*'] },
  { module: 'gateway/machine', may: ['node:*'], typesOnly: of('vault') },
  { module: 'gateway/rules', may: [...CONTRACT_AND_RULES, 'npm:re2js', 'npm:ipaddr.js'], typesOnly: of('world') },
  { module: 'gateway/admin', never: of('ingress/render', 'testing') },
  { module: 'gateway/*', never: ['web/*', 'cli/*'] },
];
