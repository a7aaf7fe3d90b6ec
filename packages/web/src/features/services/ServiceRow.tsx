import { Clock, TriangleAlert } from 'lucide-react';
import { useOffPart } from '../../data/useOff.ts';
import { AddressText } from '../../ui/AddressText.tsx';
import { Badge } from '../../ui/Badge.tsx';
import { EnabledDot } from '../../ui/EnabledDot.tsx';
import type { MenuAction } from '../../ui/menuAction.ts';
import { RowMenu } from '../../ui/RowMenu.tsx';
import { Cell, TableRow } from '../../ui/Table.tsx';
import { ClosingTime } from './ClosingTime.tsx';
import { HealthBadge } from './HealthBadge.tsx';
import { PublicAddress } from './PublicAddress.tsx';
import type { Service } from './serviceKinds.ts';
import { serviceTrouble } from './serviceTrouble.ts';
import { useClosing } from './useClosing.ts';
import { useBackendTarget } from './useBackendTarget.ts';

type ServiceRowProps = { service: Service; nodeAddress: string | null; actions: readonly MenuAction[] };

/** A service in its card: whether it is open, where it is reached, what is behind it, and what is wrong. */
export function ServiceRow({ service, nodeAddress, actions }: ServiceRowProps) {
  const trouble = useTroubleInShort(service);
  const target = useBackendTarget(service, nodeAddress);
  const closing = useClosing(service);
  return (
    <TableRow dimmed={!service.enabled}>
      <Cell primary>
        <span className="flex items-baseline gap-2 font-medium">
          <EnabledDot enabled={service.enabled} />
          <span className="min-w-0 wrap-anywhere">{service.name}</span>
        </span>
        {closing ? (
          <p className="flex items-start gap-1 text-xs text-muted">
            <Clock size={14} aria-hidden className="mt-0.5 shrink-0" />
            <span>{closing}</span>
          </p>
        ) : null}
        {service.expiresAt && !closing ? (
          <p className="flex items-start gap-1 text-xs text-muted">
            <Clock size={14} aria-hidden className="mt-0.5 shrink-0" />
            <span>
              Closes <ClosingTime expiresAt={service.expiresAt} />
            </span>
          </p>
        ) : null}
      </Cell>
      <Cell>
        <span className="flex flex-wrap items-center gap-x-1.5 gap-y-0.5">
          <PublicAddress service={service} />
          {'proto' in service && service.ssl ? <Badge>TLS</Badge> : null}
        </span>
        <span className="flex min-h-5.5 flex-wrap items-center gap-x-2 gap-y-0.5 pt-0.5 text-xs text-muted">
          <span className="min-w-0">
            {'Proxy -> '}
            <span className="font-mono wrap-anywhere">
              <AddressText>{target}</AddressText>
            </span>
          </span>
          <HealthBadge enabled={service.enabled} health={service.health} />
        </span>
        {trouble ? (
          // As wide as the column is without it: the name beside it needs its room.
          <p className="flex w-0 min-w-full items-start gap-1 pt-1 text-xs text-warning-ink">
            <TriangleAlert size={14} aria-hidden className="mt-0.5 shrink-0" />
            <span className="min-w-0 wrap-anywhere">{trouble}</span>
          </p>
        ) : null}
      </Cell>
      <Cell actions>
        <RowMenu label={`Actions of ${service.name}`} items={actions} />
      </Cell>
    </TableRow>
  );
}

/** What is wrong, for a row: without the tunnel many rows have one reason, which their node, the shell and Info tell in full. */
function useTroubleInShort(service: Service): string | null {
  const tunnelOff = useOffPart('tunnel');
  const trouble = serviceTrouble(service);
  return tunnelOff && trouble?.includes(tunnelOff.reason) ? 'The tunnel is off.' : trouble;
}
