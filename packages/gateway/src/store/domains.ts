import type { TableShape } from './table.ts';

/** Domains. */
export const domains = {
  name: 'domains',
  searchable: ['domain'],
  orderable: ['id', 'domain', 'ssl', 'createdAt'],
  unique: ['domain'],
} as const satisfies TableShape<'domains'>;
