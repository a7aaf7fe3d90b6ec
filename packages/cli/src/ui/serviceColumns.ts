import type { HttpService, TcpService } from '@sallyport/sdk/contract';
import type { Tone } from '../io.ts';
import { closedByTime } from './closedByTime.ts';
import type { Column } from './table.ts';

/** A service of either type, in one table. */
export type ServiceRow = ({ type: 'http' } & HttpService) | ({ type: 'tcp' } & TcpService);

/** An HTTP service as a row of it. */
export const httpRow = (service: HttpService): ServiceRow => ({ type: 'http', ...service });
/** A TCP service as a row of it. */
export const tcpRow = (service: TcpService): ServiceRow => ({ type: 'tcp', ...service });

const HEALTH_TONES: Record<ServiceRow['health'], Tone | undefined> = { up: 'green', down: 'red', unknown: 'dim' };

/** Open to visitors, closed by the administrator, or open and yet not served. */
const stateOf = ({ enabled, problem }: ServiceRow) => (!enabled ? 'closed' : problem === null ? 'open' : 'failing');

/** A service that closed by itself says when, at the reader's own time of day. */
function stateText(row: ServiceRow): string {
  const state = stateOf(row);
  return closedByTime(row)?.toLowerCase() ?? state;
}

const STATE_TONES: Record<ReturnType<typeof stateOf>, Tone> = { open: 'green', closed: 'dim', failing: 'red' };

/** The columns of the services table. */
export const serviceColumns: readonly Column<ServiceRow>[] = [
  { heading: 'ID', text: ({ id }) => String(id), alignRight: true },
  { heading: 'NAME', text: ({ name }) => name, mayShrink: true },
  { heading: 'TYPE', leaves: 3, text: (row) => (row.type === 'tcp' ? row.proto : 'http'), exact: ({ type }) => type },
  { heading: 'NODE', leaves: 2, text: ({ nodeId }) => String(nodeId), alignRight: true },
  { heading: 'STATE', text: stateText, exact: stateOf, tone: (row) => STATE_TONES[stateOf(row)] },
  { heading: 'PUBLIC ACCESS', leaves: 4, text: ({ publicAccess }) => publicAccess, mayShrink: true },
  { heading: 'BACKEND', text: ({ health }) => health, tone: ({ health }) => HEALTH_TONES[health] },
  { heading: 'ENDS', leaves: 1, text: ({ expiresAt }) => expiresAt ?? '-', exact: ({ expiresAt }) => expiresAt ?? '' },
];
