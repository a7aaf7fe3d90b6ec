import * as z from 'zod/mini';
import { call } from './endpoint.ts';

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

/** What people are told that it is. */
export const featureLabels: Record<Feature, string> = {
  ingress: 'ingress',
  tcpServices: 'TCP and UDP services',
  tunnel: 'tunnel',
  internetThroughVpn: 'internet through the VPN',
  publicName: 'public name',
  letsEncrypt: "Let's Encrypt",
  visitorSignIn: 'sign-in for visitors',
  endingConnections: 'ending connections',
  olderLogLines: 'older log lines',
};

/** A feature that this gateway does not have at the moment, why, and the command or setting that helps. */
export const unavailableFeature = z.object({
  feature: feature.check(z.meta({ description: 'Which one.' })),
  reason: z.string().check(z.meta({ description: 'Why, in a sentence.' })),
  fix: z.string().check(z.meta({ description: 'The command or the setting that turns it on.' })),
});
export type UnavailableFeature = z.output<typeof unavailableFeature>;

/** Settings that clients need; the names are those of the environment variables that Wiredoor's clients know. */
export const gatewayConfig = z.object({
  VPN_HOST: z
    .string()
    .check(z.meta({ description: 'The name or address by which visitors and nodes reach the gateway.' })),
  CONSOLE_URL: z._default(z.nullable(z.string()), null).check(
    z.meta({
      description: 'Where other machines reach the console and this interface; null where no such address is known.',
    }),
  ),
  TCP_SERVICES_PORT_RANGE: z.optional(z.string()).check(z.meta({ description: '`FROM-TO`.' })),
  unavailable: z
    ._default(z.array(unavailableFeature), [])
    .check(z.meta({ description: 'What does not run on this gateway, and how to turn it on.' })),
});
export type GatewayConfig = z.output<typeof gatewayConfig>;

/** What a monitor asks for. */
export const healthReport = z.object({
  status: z.enum(['ok', 'degraded']).check(z.meta({ description: '`ok` while all that follows works.' })),
  ingress: z.enum(['up', 'down']).check(z.meta({ description: 'Whether nginx serves visitors.' })),
  tunnel: z
    ._default(z.enum(['up', 'off', 'down']), 'up')
    .check(z.meta({ description: '`off`: this gateway has none; `down`: it should work, and does not.' })),
  database: z
    ._default(z.enum(['up', 'down']), 'up')
    .check(z.meta({ description: '`down`: it was deleted or replaced while the gateway was using it.' })),
  generation: z.int().check(z.meta({ description: 'Number of the configuration that nginx serves.' })),
});
export type HealthReport = z.output<typeof healthReport>;

/** The calls about the gateway itself. */
export const systemEndpoints = {
  config: call({
    method: 'GET',
    path: '/api/config',
    summary: 'Reads the settings that clients need.',
    access: 'any',
    reply: gatewayConfig,
  }),
  openapi: call({
    method: 'GET',
    path: '/api/openapi.json',
    summary: 'This interface as an OpenAPI 3.1 document.',
    access: 'open',
    reply: z.looseObject({}),
  }),
  health: call({
    method: 'GET',
    path: '/healthz',
    summary: 'Says whether the gateway, its ingress, its tunnel and its database work; 503 when one of them does not.',
    access: 'open',
    reply: healthReport,
  }),
} as const;
