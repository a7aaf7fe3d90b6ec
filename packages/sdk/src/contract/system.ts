import * as z from 'zod/mini';
import { call } from './endpoint.ts';
import { described } from './entity.ts';

/** What can be missing on a gateway while the rest of it runs. */
export const feature = z.enum([
  'ingress',
  'tcpServices',
  'tunnel',
  'internetThroughVpn',
  'publicName',
  'letsEncrypt',
  'visitorSignIn',
  'endingConnections',
  'olderLogLines',
]);
export type Feature = z.output<typeof feature>;

/** A feature that this gateway does not have at the moment, why, and the command or setting that helps. */
export const unavailableFeature = z.object({
  feature: described(feature, 'Which one.'),
  reason: described(z.string(), 'Why, in a sentence.'),
  fix: described(z.string(), 'The command or the setting that turns it on.'),
  chosen: described(
    z.optional(z.boolean()),
    'True: it is so by choice, because it was turned off, or is optional and not set up.',
  ),
});
export type UnavailableFeature = z.output<typeof unavailableFeature>;

/** Settings that clients need; the names are those of the environment variables that Wiredoor's clients know. */
export const gatewayConfig = z.object({
  VPN_HOST: described(z.string(), 'The name or address by which visitors and nodes reach the gateway.'),
  CONSOLE_URL: described(
    z._default(z.nullable(z.string()), null),
    'Where other machines reach the console and this interface; null where no such address is known.',
  ),
  PUBLIC_HTTPS_PORT: described(z.optional(z.int()), 'The port at which visitors reach HTTP services.'),
  TCP_SERVICES_PORT_RANGE: described(z.optional(z.string()), '`FROM-TO`.'),
  unavailable: described(
    z._default(z.array(unavailableFeature), []),
    'What does not run on this gateway, and how to turn it on.',
  ),
});
export type GatewayConfig = z.output<typeof gatewayConfig>;

/** What a monitor asks for. */
export const healthReport = z.object({
  status: described(z.enum(['ok', 'degraded']), '`ok` while all that follows works.'),
  ingress: described(z.enum(['up', 'down']), 'Whether nginx serves visitors.'),
  tunnel: described(
    z._default(z.enum(['up', 'off', 'down']), 'up'),
    '`off`: this gateway has none; `down`: it should work, and does not.',
  ),
  database: described(
    z._default(z.enum(['up', 'down']), 'up'),
    '`down`: it was deleted or replaced while the gateway was using it.',
  ),
  generation: described(z.int(), 'Number of the configuration that nginx serves.'),
});
export type HealthReport = z.output<typeof healthReport>;

/** The backup that was made last. */
export const lastBackup = z.object({
  at: described(z.string(), 'When, ISO 8601, UTC.'),
  file: described(z.nullable(z.string()), "Where on the gateway's machine; null: it went to standard output."),
  isOld: described(
    z.boolean(),
    'Whether it is time for another: after three days where its name says that it is one of many, such as those of the nightly timer, else after a week.',
  ),
});
export type LastBackup = z.output<typeof lastBackup>;

/** The calls about the gateway itself. */
export const systemEndpoints = {
  config: call('GET', '/api/config', 'Reads the settings that clients need.', {
    access: 'any',
    rights: [],
    node: 'reply',
    reply: gatewayConfig,
  }),
  openapi: call('GET', '/api/openapi.json', 'This interface as an OpenAPI 3.1 document.', {
    access: 'open',
    reply: z.looseObject({}),
  }),
  backup: call('GET', '/api/backup', 'Says when `sallyport-gateway backup` was last used, and where that backup is.', {
    reply: z.object({
      last: described(z.nullable(lastBackup), 'The backup that was made last; null: none is known of.'),
    }),
  }),
  health: call(
    'GET',
    '/healthz',
    'Says whether the gateway, its ingress, its tunnel and its database work; 503 when one of them does not.',
    { access: 'open', reply: healthReport },
  ),
} as const;
