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
const PLAIN_FEATURES = ['services', 'tokens', 'logs', 'home', 'session'].map((name) => `web/features/${name}`);

/** Every room of the house. Each has at least one source file. */
export const ROOMS = [
  ...['contract', 'rules', 'client'].map((name) => `sdk/${name}`),
  ...['ui', 'form', 'data', 'state', 'shell'].map((name) => `web/${name}`),
  ...PLAIN_FEATURES,
  ...['features/nodes', 'features/domains'].map((name) => `web/${name}`),
  ...['commands', 'entity', 'host', 'login', 'ui'].map((name) => `cli/${name}`),
  ...['http', 'handlers', 'signin', 'store', 'render', 'system', 'reconcile', 'start', 'ports', 'testing'].map(
    (name) => `gateway/${name}`,
  ),
];

/**
 * Who may import whom. What a row does not name is not allowed; a row with `never` alone forbids just that.
 * Node's own parts are no room: whoever works on Node has them, unless its row says never.
 * What stands beside the rooms (main, program, gateway, start, router) puts them together and may import all.
 */
export const TABLE = [
  { room: 'sdk/contract', may: ['npm:zod'] },
  { room: 'sdk/rules', may: ['sdk/contract'] },
  { room: 'sdk/client', may: ['sdk/contract', 'npm:ofetch', 'npm:eventsource-parser'] },
  { room: 'sdk/*', never: ['node:*', 'web/*', 'cli/*', 'gateway/*'] },

  { room: 'web/ui', may: [...COMPONENT_LIBRARY, 'npm:@tanstack/react-table', 'npm:@tanstack/react-virtual'] },
  ...['form', 'data', 'state'].map((name) => ({ room: `web/${name}`, never: ['web/features/*', 'web/shell'] })),
  ...PLAIN_FEATURES.map((room) => ({ room, may: FEATURE_GROUND })),
  { room: 'web/features/nodes', may: [...FEATURE_GROUND, ...PLAIN_FEATURES] },
  { room: 'web/features/domains', may: [...FEATURE_GROUND, ...PLAIN_FEATURES] },
  { room: 'web/*', never: ['node:*', 'cli/*', 'gateway/*'] },

  {
    room: 'cli/commands',
    may: ['cli/context', 'cli/flagName', 'cli/io', 'cli/entity', 'cli/login', 'cli/host', 'cli/ui', ...SDK, 'npm:*'],
    apart: true,
    noProcess: true,
  },
  {
    room: 'cli/entity',
    may: [
      ...['context', 'find', 'flagName', 'shownCertificate', 'telling', 'ui'].map((name) => `cli/${name}`),
      ...SDK,
      'npm:*',
      'node:*',
    ],
    noProcess: true,
  },
  {
    room: 'cli/login',
    may: ['cli/context', 'cli/secret', 'cli/shownCertificate', 'cli/host', 'cli/ui', 'node:*', ...SDK],
  },
  { room: 'cli/host', never: ['cli/commands', 'cli/login', 'cli/program'] },
  { room: 'cli/*', never: ['web/*', 'gateway/*'] },

  { room: 'gateway/render', may: [], typesOnly: ['sdk/contract'] },
  { room: 'gateway/store', may: ['npm:better-sqlite3', 'npm:kysely', 'node:*'], typesOnly: ['sdk/contract'] },
  {
    room: 'gateway/handlers',
    may: [
      ...CONTRACT_AND_RULES,
      'sdk/openapi',
      'gateway/store',
      'gateway/ports',
      'gateway/failure',
      'gateway/bypassPatterns',
      'gateway/ownName',
      'npm:ipaddr.js',
      'node:*',
    ],
  },
  {
    room: 'gateway/http',
    may: ['sdk/contract', 'gateway/handlers', 'gateway/ports', 'gateway/failure', 'npm:*', 'node:*'],
  },
  {
    room: 'gateway/signin',
    may: ['gateway/store', 'gateway/ports', 'gateway/bypassPatterns', 'npm:openid-client', 'node:*'],
  },
  { room: 'gateway/system', may: ['node:*', 'gateway/ports'], typesOnly: ['sdk/contract'] },
  {
    room: 'gateway/reconcile',
    may: [
      ...['render', 'store', 'system', 'ports', 'bypassPatterns', 'ownName'].map((name) => `gateway/${name}`),
      'node:*',
    ],
    typesOnly: ['sdk/contract'],
  },
  { room: 'gateway/*', never: ['web/*', 'cli/*'] },
];
