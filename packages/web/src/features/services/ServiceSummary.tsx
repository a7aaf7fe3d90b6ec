import { formatDate } from '@sallyport/sdk';
import { check, field, type GatewayConfig, type Node } from '@sallyport/sdk/contract';
import { backendHostRequired, timeToLiveMs } from '@sallyport/sdk/rules';
import { useState } from 'react';
import { dnsName } from '../../data/domainNames.ts';
import { useRead } from '../../data/queries.ts';
import type { Service } from './services.ts';

/** What the form of a service says. */
type Values = {
  domain: string;
  backendHost: string;
  backendPort: number | string | null;
  allowedIps: readonly string[];
  blockedIps: readonly string[];
  ttl: string | undefined;
} & (
  | { pathLocation: string; backendProto: string; requireAuth: boolean }
  | { proto: string; port: number | string | null }
);

/** What stands for what is still to be entered. */
const UNSAID = '…';
const HTTPS_PORT = 443;

const inUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host || UNSAID);

/** Where visitors will reach it. */
function publicPlace(
  values: Values,
  config: Pick<GatewayConfig, 'VPN_HOST' | 'PUBLIC_HTTPS_PORT'> | undefined,
): string {
  const host = inUrl(dnsName(values.domain) || (config?.VPN_HOST ?? ''));
  if ('proto' in values) {
    return values.port
      ? `${values.proto}://${host}:${values.port}`
      : `A free ${values.proto.toUpperCase()} port of ${host}`;
  }
  const { PUBLIC_HTTPS_PORT: port = HTTPS_PORT } = config ?? {};
  return `https://${host}${port === HTTPS_PORT ? '' : `:${port}`}${values.pathLocation || '/'}`;
}

const few = (addresses: readonly string[]): string =>
  addresses.length === 1 ? String(addresses[0]) : `${addresses.length} ranges`;

/** Who will get in. */
function visitors(values: Values): string {
  const [allowed, blocked] = [values.allowedIps, values.blockedIps].map((list) => list.filter(Boolean)) as [
    string[],
    string[],
  ];
  const signIn = 'requireAuth' in values && values.requireAuth;
  const who = allowed.length > 0 ? few(allowed) : signIn ? 'visitors' : 'everyone';
  return `${who}${signIn ? ' who sign in' : ''}${blocked.length > 0 ? `, except ${few(blocked)}` : ''}`;
}

/** A moment of today by its time alone. */
function timeOf(moment: Date, now: Date): string {
  const time = moment.toLocaleTimeString('en-US', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const day = formatDate(moment);
  return day === formatDate(now) ? time : `${day}, ${time}`;
}

/** When it will close; null: never, or that is still to be entered. */
function endOf(ttl: string | undefined, expiresAt: string | null, now: Date): Date | null {
  if (ttl === undefined) return expiresAt === null ? null : new Date(expiresAt);
  const checked = check(field.timeToLive, ttl);
  return checked.ok ? new Date(now.getTime() + timeToLiveMs(checked.value)) : null;
}

type SummaryFacts = {
  values: Values;
  node: Pick<Node, 'name' | 'address' | 'isGateway' | 'isLocal'>;
  /** The service that is changed. */
  service: Pick<Service, 'enabled' | 'expiresAt'> | undefined;
  config: Pick<GatewayConfig, 'VPN_HOST' | 'PUBLIC_HTTPS_PORT'> | undefined;
  now: Date;
};

/** What saving a service brings about, in a sentence. */
export function serviceSummary({ values, node, service, config, now }: SummaryFacts): string {
  const scheme = 'proto' in values ? values.proto : values.backendProto;
  const host = values.backendHost || (backendHostRequired(node) ? '' : node.address);
  const backend = `${scheme}://${inUrl(host)}:${values.backendPort ?? UNSAID}`;
  const end = endOf(values.ttl, service?.expiresAt ?? null, now);
  const access = service?.enabled === false ? 'closed until it is enabled' : `open to ${visitors(values)}`;
  const until = end && service?.enabled !== false ? `, until ${timeOf(end, now)}` : '';
  return `${publicPlace(values, config)} → ${backend} on ${node.name}, ${access}${until}`;
}

type ServiceSummaryProps = Pick<SummaryFacts, 'values' | 'node' | 'service'>;

/** The same while the form is filled in, always in view; told by a screen reader when it has nothing else to say. */
export function ServiceSummary(props: ServiceSummaryProps) {
  return (
    <output
      aria-label="Summary"
      className="sticky -bottom-5 z-1 -mx-5 -mb-5 block border-t border-line bg-raised px-5 py-2.5 text-sm wrap-anywhere text-muted"
    >
      <SummaryText key={props.values.ttl} {...props} />
    </output>
  );
}

/** Counts from the choice of the time on: a sentence that changes every minute would be told every minute. */
function SummaryText(props: ServiceSummaryProps) {
  const { data: config } = useRead('system.config', {});
  const [now] = useState(() => new Date());
  return serviceSummary({ ...props, config, now });
}
