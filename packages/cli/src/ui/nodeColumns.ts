import { formatBytes, formatRelative } from '@sallyport/sdk/format';
import type { Node } from '@sallyport/sdk/contract';
import type { Tone } from '../io.ts';
import type { Column } from './table.ts';

type StatusWord = Node['status'] | 'disabled' | '-';

const TONES: Record<StatusWord, Tone | undefined> = {
  online: 'green',
  idle: 'yellow',
  offline: 'red',
  disabled: 'dim',
  '-': undefined,
};

/** The word for how a node is. The local node has no tunnel that could be up or down. */
const statusOf = ({ isLocal, enabled, status }: Node): StatusWord => (isLocal ? '-' : enabled ? status : 'disabled');

const typeOf = ({ isLocal, isGateway }: Node) => (isLocal ? 'local' : isGateway ? 'gateway' : 'node');

const isoOf = (ms: number | null) => (ms ? new Date(ms).toISOString() : '');

/** The columns of the nodes table; `now` is what "2 minutes ago" counts from. */
export const nodeColumns = (now: Date): readonly Column<Node>[] => [
  { heading: 'ID', text: ({ id }) => String(id), alignRight: true },
  { heading: 'NAME', text: ({ name }) => name, mayShrink: true },
  { heading: 'TYPE', leaves: 4, text: typeOf },
  { heading: 'STATUS', text: statusOf, tone: (row) => TONES[statusOf(row)] },
  { heading: 'ADDRESS', leaves: 5, text: ({ address }) => address },
  {
    heading: 'LAST HANDSHAKE',
    leaves: 3,
    text: ({ isLocal, latestHandshakeTimestamp }) => (isLocal ? '-' : formatRelative(latestHandshakeTimestamp, now)),
    exact: ({ latestHandshakeTimestamp }) => isoOf(latestHandshakeTimestamp),
  },
  {
    heading: 'RECEIVED',
    leaves: 2,
    text: ({ transferRx }) => formatBytes(transferRx),
    exact: ({ transferRx }) => String(transferRx ?? ''),
    alignRight: true,
  },
  {
    heading: 'SENT',
    leaves: 1,
    text: ({ transferTx }) => formatBytes(transferTx),
    exact: ({ transferTx }) => String(transferTx ?? ''),
    alignRight: true,
  },
];
