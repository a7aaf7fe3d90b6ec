import type { EndpointName } from '@sallyport/sdk/contract';

/** The endpoints that have no handler yet; a call to one answers 501. This list only shrinks. */
export const pending = [
  'node.download',
  'cli.node',
  'cli.config',
  'cli.wgconfig',
  'cli.gateway',
  'cli.listHttp',
  'cli.listTcp',
  'cli.exposeHttp',
  'cli.exposeTcp',
  'cli.enableHttp',
  'cli.disableHttp',
  'cli.enableTcp',
  'cli.disableTcp',
  'cli.regenerate',
] as const satisfies readonly EndpointName[];
export type PendingName = (typeof pending)[number];
