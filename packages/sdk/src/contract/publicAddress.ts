import * as z from 'zod/mini';
import { call } from './endpoint.ts';
import { described } from './entity.ts';
import { field } from './field.ts';

/** Who decided on the public address. */
export const addressSource = z.enum(['environment', 'setting', 'machine']);
export type AddressSource = z.output<typeof addressSource>;

/** A name or address by which others may reach the gateway's machine. */
export const addressCandidate = z.object({
  host: described(z.string(), 'The name or address.'),
  what: described(z.string(), 'What it is, like `the address of eth0`.'),
});
export type AddressCandidate = z.output<typeof addressCandidate>;

/** The name or address by which hosts and visitors are told to reach the gateway. */
export const publicAddress = z.object({
  host: described(z.string(), 'What counts since the start of the gateway.'),
  source: described(
    addressSource,
    '`environment`: `SALLYPORT_VPN_HOST` says it; `setting`: it was chosen at the first start or here; `machine`: no one chose it, so it is the name of the machine.',
  ),
  next: described(z.nullable(z.string()), 'What counts from the next start on; null: the same.'),
  problem: described(z.nullable(z.string()), 'Why it cannot be changed here, in a sentence; null: it can.'),
  warnings: described(z.array(z.string()), 'What speaks against `next`, or else `host`, in sentences.'),
  facts: described(
    z.array(z.string()),
    'What is known of whether it leads here, in sentences. Nothing is tried from outside of the machine.',
  ),
  lastHandshakeAt: described(
    z.nullable(z.string()),
    'When a node was last heard through the tunnel, ISO 8601, UTC; null: never.',
  ),
  candidates: described(z.array(addressCandidate), 'What this machine knows itself by, the most likely first.'),
});
export type PublicAddress = z.output<typeof publicAddress>;

/** Another public address. */
export const publicAddressInput = field.object({
  host: described(field.host, 'The name or address by which hosts and visitors reach the gateway.'),
});
export type PublicAddressInput = z.input<typeof publicAddressInput>;

/** The calls about the public address. */
export const publicAddressEndpoints = {
  get: call('GET', '/api/public-address', 'Says by which address others are told to reach the gateway, and why.', {
    reply: publicAddress,
  }),
  change: call(
    'PATCH',
    '/api/public-address',
    'Changes the public address from the next start of the gateway on. Refused where the environment says it.',
    { body: publicAddressInput, reply: publicAddress },
  ),
} as const;
