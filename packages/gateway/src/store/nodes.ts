import type { TableShape } from './table.ts';

/** Nodes; the local one comes first in every list. */
export const nodes = {
  name: 'nodes',
  searchable: ['name', 'address'],
  orderable: ['id', 'name', 'address', 'isGateway', 'createdAt'],
  first: 'isLocal',
  unique: ['address', 'name'],
} as const satisfies TableShape<'nodes'>;
