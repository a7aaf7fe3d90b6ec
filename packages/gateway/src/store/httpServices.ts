import type { TableShape } from './table.ts';

/** HTTP services; a domain and a path belong to one of them alone. */
export const httpServices = {
  name: 'httpServices',
  searchable: ['name', 'domain', 'pathLocation', 'backendHost'],
  orderable: ['id', 'name', 'domain', 'pathLocation', 'enabled', 'createdAt'],
  unique: ['domain', 'pathLocation'],
} as const satisfies TableShape<'httpServices'>;
