import type { ServiceStatus as Status } from '@sallyport/sdk/contract';
import { serviceStatus } from '@sallyport/sdk/rules';
import { RING, Sign, SLASHED } from '../../ui/layout/Badge.tsx';
import { classes } from '../../ui/layout/classes.ts';
import { ClosingTime, useClosing, useTroubleInShort } from './serviceDetails.tsx';
import type { Service } from './services.ts';

/** What each status is called. */
export const statusLabels: Record<Status, string> = {
  up: 'Up',
  down: 'Down',
  failing: 'Cannot be served',
  closed: 'Closed',
  unknown: 'Not checked',
};

/** A sign of its own for each: filled where something is live or wrong, a ring where that is as it was meant or not known. */
const SIGNS: Record<Status, { ink: string; shape: string }> = {
  up: { ink: 'fill-current text-mark-online', shape: RING },
  down: { ink: 'fill-current text-mark-offline', shape: 'M6 2 10.2 9.6H1.8z' },
  failing: { ink: 'fill-current text-mark-offline', shape: 'M6 1.8 10.2 6 6 10.2 1.8 6z' },
  closed: { ink: 'fill-none text-muted', shape: SLASHED },
  unknown: { ink: 'fill-none text-muted', shape: RING },
};

type StatusProps = {
  service: Service;
  /** The row has a sign already: the word alone. */
  bare?: boolean | undefined;
};

/** How a service is, in words, with the reason below, and until when. */
export function ServiceStatus({ service, bare }: StatusProps) {
  return (
    <>
      <StatusWord service={service} bare={bare} />
      <p
        className={classes(
          'text-xs wrap-anywhere',
          !bare && 'rows:pl-4.5',
          isFaulty(service) ? 'text-danger-ink' : 'text-muted',
        )}
      >
        <StatusReason service={service} />
      </p>
    </>
  );
}

/** Whether it is not as it was meant to be. */
export const isFaulty = (service: Service): boolean => /down|failing/.test(serviceStatus(service));

/** The status as a sign and a word. */
export function StatusWord({ service, bare }: StatusProps) {
  const status = serviceStatus(service);
  const { ink, shape } = SIGNS[status];
  return (
    <span className="flex items-center gap-2 font-medium text-ink">
      {bare ? null : <Sign shape={shape} className={classes('size-2.5 shrink-0', ink)} />}
      {statusLabels[status]}
    </span>
  );
}

/** Why it is so, in a few words; nothing where that goes without saying. */
export function StatusReason({ service }: { service: Service }) {
  const trouble = useTroubleInShort(service);
  const closing = useClosing(service);
  // It stands below the word.
  if (serviceStatus(service) === 'closed') return closing?.replace(/^Closed /, '') ?? null;
  if (isFaulty(service)) return trouble;
  if (service.expiresAt) {
    return (
      <>
        Closes <ClosingTime expiresAt={service.expiresAt} />
      </>
    );
  }
  return 'proto' in service && service.proto === 'udp' ? 'UDP gives no answer' : null;
}

export const EVERYONE = 'Everyone';

/** Who may come in, in a few words: a list of one is told whole. */
export function accessInWords(service: Pick<Service, 'allowedIps' | 'blockedIps'> & { requireAuth?: boolean }): string {
  const { allowedIps, blockedIps, requireAuth = false } = service;
  const few = (addresses: readonly string[]) => (addresses.length === 1 ? addresses[0] : `${addresses.length} ranges`);
  const lists = [
    ...(allowedIps?.length ? [`only ${few(allowedIps)}`] : []),
    ...(blockedIps?.length ? [`not ${few(blockedIps)}`] : []),
  ];
  if (requireAuth) return ['Sign-in', ...lists].join(', ');
  if (allowedIps?.length) return lists.join(', ').replace('only', 'Only');
  return [EVERYONE, ...lists].join(', ');
}
