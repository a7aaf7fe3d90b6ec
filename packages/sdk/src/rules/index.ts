import type { Domain } from '../contract/domain.ts';
import type { DnsRecord } from '../contract/domainDns.ts';
import type { HttpService } from '../contract/httpService.ts';
import { message } from '../contract/message.ts';
import type { Node } from '../contract/node.ts';
import type { Problem } from '../contract/problem.ts';
import type { TcpService } from '../contract/tcpService.ts';
import type { Token } from '../contract/token.ts';

export { tagKey } from '../contract/field.ts';
export * from './backendHost.ts';
export * from './loopback.ts';

/** Whether something may be done; if not, why, in a sentence for the user. */
export type Verdict = { allowed: true } | { allowed: false; reason: string };

const allowed: Verdict = { allowed: true };
const refused = (reason: string): Verdict => ({ allowed: false, reason });

const unlessLocal =
  (reason: string) =>
  ({ isLocal }: { isLocal: unknown }): Verdict =>
    isLocal === true ? refused(reason) : allowed;

/**
 * What may be done to a node: the local node is protected from edit, disable, download, delete and token creation.
 * The gateway refuses by these, the console and the CLI disable by them.
 */
export const nodeCan = {
  update: unlessLocal("Local node can't be updated"),
  enable: unlessLocal("Local node can't be updated"),
  disable: unlessLocal("Local node can't be updated"),
  remove: unlessLocal("Local node can't be deleted"),
  download: unlessLocal("Local node doesn't have wireguard config"),
  createToken: unlessLocal("Local node can't have access tokens"),
};

/** A service of either kind; only an HTTP service can be built in. */
type AnyService = { id?: number; builtin?: boolean };

const unlessBuiltin =
  (reason: string) =>
  (service: AnyService): Verdict =>
    service.builtin === true ? refused(reason) : allowed;

/** What may be done to a service: the gateway's own console can be neither closed nor deleted. */
export const serviceCan = {
  enable: unlessBuiltin("The built-in console service can't be disabled or enabled"),
  disable: unlessBuiltin("The built-in console service can't be disabled or enabled"),
  remove: unlessBuiltin("The built-in console service can't be deleted"),
};

/** The fields of the built-in console service that its flag locks. */
export const builtinLockedFields = [
  'name',
  'pathLocation',
  'backendProto',
  'backendHost',
  'backendPort',
  'requireAuth',
  'skipAuthRoutes',
] as const satisfies readonly (keyof HttpService)[];

/** Whether a host is a name without a domain, which other networks do not know. */
export const isBareHost = (host: string): boolean => !/[.:]/.test(host);

const FOUR_NUMBERS = /^\d{1,3}(?:\.\d{1,3}){3}$/;

/** Whether a host is an address, and no name. */
export const isAddressHost = (host: string): boolean => host.includes(':') || FOUR_NUMBERS.test(host);

/** The record by which a domain leads to a host, which is a name or an address. */
export const dnsRecordTo = (domain: string, host: string): DnsRecord => ({
  type: host.includes(':') ? 'AAAA' : FOUR_NUMBERS.test(host) ? 'A' : 'CNAME',
  name: domain,
  value: host,
});

/** A record as a zone file has it: `app.example.com. A 203.0.113.5`. */
export const dnsRecordText = ({ type, name, value }: DnsRecord): string =>
  `${name}. ${type} ${type === 'CNAME' ? `${value}.` : value}`;

/** Sign-in can be required only where the service's domain has authentication. */
export function requireAuthProblem(
  requireAuth: boolean | null | undefined,
  domain: Pick<Domain, 'authentication'> | null,
): Problem | null {
  return requireAuth && !domain?.authentication ? { field: 'requireAuth', message: message.authenticationOff } : null;
}

type Tcp = Pick<TcpService, 'name' | 'ssl'>;

/** Cookies know no ports: a TCP service with the certificate of a domain would be sent the sessions of its visitors. */
export function tlsWithSignInProblem(
  ssl: boolean | null | undefined,
  domain: Pick<Domain, 'authentication'> | null,
): Problem | null {
  return ssl && domain?.authentication ? { field: 'ssl', message: message.sslWithSignIn } : null;
}

/** The same where a domain is to have sign-in. @param services the TCP services of the domain */
export function signInWithTlsProblem(authentication: boolean, services: readonly Tcp[]): Problem | null {
  const names = services.filter(({ ssl }) => ssl).map(({ name }) => name);
  if (!authentication || names.length === 0) return null;
  return {
    field: 'authentication',
    message: `Browsers would send the sessions of visitors to its TCP services with TLS, too: ${someNames(names)}. Turn TLS off there or move them to another domain first`,
  };
}

const NAMED_AT_MOST = 5;

/** Names in a row, as many as one can take in: `a, b, c, d, e and 3 more`. */
export function someNames(names: readonly string[]): string {
  const more = names.length - NAMED_AT_MOST;
  return `${names.slice(0, NAMED_AT_MOST).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Whether a node waits for the first connection of its host, which is no fault. */
export const isWaiting = (node: Pick<Node, 'isLocal' | 'enabled' | 'status' | 'latestHandshakeTimestamp'>): boolean =>
  !node.isLocal && node.enabled && node.status === 'offline' && !node.latestHandshakeTimestamp;

/** What an access token is good for; the words stand on the screen. */
export type TokenStatus = 'Revoked' | 'Expired' | 'Active';

/** Revoked if revoked; else Expired if it has an end that is earlier than now; else Active. */
export function tokenStatus(token: Pick<Token, 'revoked' | 'expireAt'>, now: Date): TokenStatus {
  if (token.revoked) return 'Revoked';
  // A time that cannot be read has passed.
  return token.expireAt === null || Date.parse(token.expireAt) >= now.getTime() ? 'Active' : 'Expired';
}

/** An access token cannot be made already expired. */
export function tokenExpiryProblem(expireAt: string | null | undefined, now: Date): Problem | null {
  return expireAt && Date.parse(expireAt) < now.getTime() ? { field: 'expireAt', message: message.min('now') } : null;
}

const UNIT_MS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `"10m"` in milliseconds. The text has been checked by the contract's `ttl` field. */
export function timeToLiveMs(ttl: string): number {
  const unit = ttl.at(-1) ?? 's';
  return Number.parseInt(ttl, 10) * (UNIT_MS[unit] ?? 1000);
}

export { serviceStatus } from './serviceStatus.ts';
