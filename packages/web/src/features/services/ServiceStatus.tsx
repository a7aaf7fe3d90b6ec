import type { ServiceStatus as Status } from '@sallyport/sdk/contract';
import { serviceStatus } from '@sallyport/sdk/rules';
import type { ReactNode } from 'react';
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
const SIGNS: Record<Status, { ink: string; shape: ReactNode }> = {
  up: { ink: 'text-mark-online', shape: <circle cx="6" cy="6" r="4.8" fill="currentColor" /> },
  down: { ink: 'text-mark-offline', shape: <path d="M6 .8 11.4 10.6H.6z" fill="currentColor" /> },
  failing: { ink: 'text-mark-offline', shape: <path d="M6 .4 11.6 6 6 11.6.4 6z" fill="currentColor" /> },
  closed: {
    ink: 'text-muted',
    shape: (
      <path
        d="M6 1.4a4.6 4.6 0 1 0 0 9.2a4.6 4.6 0 1 0 0-9.2zM2.8 9.2l6.4-6.4"
        fill="none"
        stroke="currentColor"
        strokeWidth="2"
      />
    ),
  },
  unknown: {
    ink: 'text-muted',
    shape: <circle cx="6" cy="6" r="4" fill="none" stroke="currentColor" strokeWidth="2" />,
  },
};

/** How a service is, in words, with the reason below, and until when. */
export function ServiceStatus({ service }: { service: Service }) {
  return (
    <>
      <StatusWord service={service} />
      <p className={classes('pl-4.5 text-xs wrap-anywhere', isFaulty(service) ? 'text-danger-ink' : 'text-muted')}>
        <StatusReason service={service} />
      </p>
    </>
  );
}

/** Whether it is not as it was meant to be. */
export const isFaulty = (service: Service): boolean => /down|failing/.test(serviceStatus(service));

/** The status as a sign and a word. */
export function StatusWord({ service }: { service: Service }) {
  const status = serviceStatus(service);
  const { ink, shape } = SIGNS[status];
  return (
    <span className="flex items-center gap-2 font-medium text-ink">
      <svg viewBox="0 0 12 12" className={classes('size-2.5 shrink-0', ink)} aria-hidden>
        {shape}
      </svg>
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
