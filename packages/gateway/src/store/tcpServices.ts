import type { TcpServiceRow } from './rows.ts';
import type { TableShape } from './table.ts';

/** TCP and UDP services. */
export const tcpServices = {
  name: 'tcp_services',
  searchable: ['name', 'domain', 'backendHost'],
  orderable: ['id', 'name', 'domain', 'port', 'enabled', 'createdAt'],
  unique: ['port'],
} as const satisfies TableShape<TcpServiceRow> & { unique: readonly string[] };
