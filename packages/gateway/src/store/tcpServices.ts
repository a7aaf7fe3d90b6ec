import type { TableShape } from './table.ts';

/** TCP and UDP services. */
export const tcpServices = {
  name: 'tcpServices',
  searchable: ['name', 'domain', 'backendHost'],
  orderable: ['id', 'name', 'domain', 'port', 'enabled', 'createdAt'],
  unique: ['port'],
} as const satisfies TableShape<'tcpServices'>;
