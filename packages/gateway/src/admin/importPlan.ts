import { isIP } from 'node:net';
import { field } from '@sallyport/sdk/contract';
import type { Secret } from '../vault/secret.ts';

/** A service to be made. */
export type PlannedService = {
  kind: 'http' | 'tcp';
  /** What the plan says of it: where visitors find it, and where it leads. */
  title: string;
  body: {
    name: string;
    backendHost: string;
    backendPort: number;
    allowedIps: string[] | null;
    blockedIps: string[] | null;
  } & (
    | { domain: string; pathLocation: string; backendProto: 'http' | 'https' }
    | { proto: 'tcp' | 'udp'; port: number }
  );
  /** Why it is closed to begin with; null: it is open. */
  closed: string | null;
  /** What is otherwise than there. */
  notes: string[];
};

/** A domain to be made before its services, as it was there. */
export type PlannedDomain = {
  domain: string;
  hsts: boolean;
  /** Its certificate with its key; null: it is self-signed to begin with. */
  pair: Secret | null;
  /** What visitors get, and what is otherwise than there. */
  notes: string[];
};

export type ImportPlan = {
  /** Those of which more is known than a name; all others are made with their services. */
  domains: PlannedDomain[];
  services: PlannedService[];
  /** What is not taken in, and why. */
  left: { what: string; why: string }[];
};

/** Said of what had a certificate of an authority there. */
export const CERTIFICATE_NOTE =
  'its certificate is self-signed until you choose Let’s Encrypt for the domain, once its name leads here';

/** Said of a domain that told browsers to come by HTTPS alone, and whose certificate does not go along. */
export const HSTS_NOTE =
  'browsers that were there insist on a trusted certificate (HSTS): they let no one past the warning until it has one';

/** Said of a domain that did not. */
export const HSTS_OFF_NOTE = 'HSTS is off, as there';

/** Why nothing can be led there; null: it can. */
export function targetFault({ host, port }: { host: string; port: number }): string | null {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return 'its backend has no port';
  if (host.includes('/')) return 'its path is changed on the way to the backend';
  return isIP(host) !== 0 || field.host.safeParse(host).success ? null : 'its backend is no host';
}

/** Names and addresses are those of the machine, or the container, that `product` runs on. */
export function hostNotes(host: string, product: string): string[] {
  if (/^(?:localhost|127\.|::1$|host\.docker\.internal$)/.test(host)) {
    return [`${host} was the machine, or the container, of ${product}: check where the backend is`];
  }
  return containerNotes(host);
}

/** Of a name without a dot. */
export const containerNotes = (host: string): string[] =>
  isIP(host) === 0 && !host.includes('.')
    ? [`${host} may be a container's name, which this machine does not know`]
    : [];
