import { formatClosing } from '@sallyport/sdk';
import { Fragment } from 'react';
import { useUnavailable } from '../../data/gateway.ts';
import { OutsideLink } from '../../data/links.tsx';
import { useRead } from '../../data/queries.ts';
import { RelativeTime } from '../../data/RelativeTime.tsx';
import { useNow } from '../../state/browser.ts';
import { CopyButton } from '../../ui/controls/CopyButton.tsx';
import { classes } from '../../ui/layout/classes.ts';
import { type Service, serviceTrouble } from './services.ts';

type PublicAddressProps = {
  service: Service;
  /** A button to copy it, which the address of a port has in any case: no browser opens that one. */
  copy?: boolean | undefined;
};

/** Where visitors reach a service; fainter while it is closed. */
export function PublicAddress({ service, copy = false }: PublicAddressProps) {
  const { publicAccess, enabled } = service;
  const isPort = 'proto' in service;
  return (
    <span className={classes('inline-flex min-w-0 items-center gap-1', !enabled && 'text-muted')}>
      {isPort ? (
        <span className="min-w-0 wrap-anywhere">
          <AddressText>{publicAccess}</AddressText>
        </span>
      ) : (
        <OutsideLink
          to={publicAccess}
          className={classes('min-w-0 wrap-anywhere', enabled ? 'link' : 'hover:underline')}
        >
          <AddressText>{publicAccess}</AddressText>
        </OutsideLink>
      )}
      {isPort || copy ? (
        // No higher than the line that it stands on.
        <span className="-my-1">
          <CopyButton text={publicAccess} label={`Copy the public address of ${service.name}`} />
        </span>
      ) : null}
    </span>
  );
}

/** Before a port, and before each further step of a path. */
const PLACES = /(?<=[^/:])(?=:\d|\/[^/])/g;

/** An address that a narrow place breaks where it is read in one breath, not within a port or a name. */
export function AddressText({ children }: { children: string }) {
  const places = [0, ...[...children.matchAll(PLACES)].map(({ index }) => index)];
  return places.map((from, number) => (
    <Fragment key={from}>
      {from === 0 ? null : <wbr />}
      {children.slice(from, places[number + 1])}
    </Fragment>
  ));
}

/** Where a service's visitors are led. The node is asked for its address where a plain node is the backend and its page is not at hand. */
export function useBackendTarget(service: Service, nodeAddress: string | null): string {
  const isUnknown = service.backendHost === null && nodeAddress === null;
  const { data: node } = useRead('node.get', { params: { id: service.nodeId } }, { enabled: isUnknown });
  return backendTarget(service, nodeAddress ?? node?.address ?? null);
}

/** Where a service's visitors are led. `nodeAddress` stands in for a backend host that is not named; null: it is not known (yet). */
export function backendTarget(service: Service, nodeAddress: string | null): string {
  const scheme = 'proto' in service ? service.proto : service.backendProto;
  const host = service.backendHost ?? nodeAddress ?? 'its node';
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${service.backendPort}`;
}

/** What is wrong, for a row: without the tunnel many rows have one reason, which their node, the shell and Info tell in full. */
export function useTroubleInShort(service: Service): string | null {
  const tunnelOff = useUnavailable('tunnel');
  const trouble = serviceTrouble(service);
  return tunnelOff && trouble?.includes(tunnelOff.reason) ? 'The tunnel is off.' : trouble;
}

/** How often the time that is left is told again. */
const TICK_MS = 10_000;

/** When a service closes by itself, told from now. */
export function ClosingTime({ expiresAt }: { expiresAt: string }) {
  const now = useNow(TICK_MS);
  return <RelativeTime at={expiresAt}>{timeLeft(expiresAt, now)}</RelativeTime>;
}

const MINUTE_MS = 60_000;
const HOUR_MIN = 60;
const DAY_MIN = 24 * HOUR_MIN;

/**
 * How long it is until a moment, in its two largest units and rounded up to a minute, so that what was set to two hours
 * reads as two hours: `in 2 h`, `in 1 h 59 min`, `in 6 d 23 h`.
 */
export function timeLeft(moment: string, now: Date): string {
  const leftMs = new Date(moment).getTime() - now.getTime();
  if (leftMs <= 0) return 'any moment now';
  if (leftMs < MINUTE_MS) return 'in less than a minute';
  const minutes = Math.ceil(leftMs / MINUTE_MS);
  const parts = [
    [Math.floor(minutes / DAY_MIN), 'd'],
    [Math.floor((minutes % DAY_MIN) / HOUR_MIN), 'h'],
    [minutes % HOUR_MIN, 'min'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  const shown = parts.slice(first, first + 2).filter(([count]) => count > 0);
  return `in ${shown.map(([count, unit]) => `${count} ${unit}`).join(' ')}`;
}

/** How often it is looked whether that day is still today. */
const DAY_TICK_MS = 60_000;

/** When a service was closed, and by what, in the reader's own zone; null while it is open. */
export function useClosing(service: Pick<Service, 'closedAt' | 'closedBy'>): string | null {
  return formatClosing(service, useNow(DAY_TICK_MS));
}
