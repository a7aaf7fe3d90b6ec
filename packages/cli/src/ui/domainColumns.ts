import type { Domain } from '@sallyport/sdk/contract';
import type { Column } from './table.ts';

const CERTIFICATES: Record<Domain['ssl'], string> = { 'self-signed': 'Self Signed', certbot: "Let's Encrypt" };

/** The columns of the domains table. */
export const domainColumns: readonly Column<Domain>[] = [
  { heading: 'ID', text: ({ id }) => String(id), alignRight: true },
  { heading: 'DOMAIN', text: ({ domain }) => domain, mayShrink: true },
  { heading: 'CERTIFICATE', text: ({ ssl }) => CERTIFICATES[ssl], exact: ({ ssl }) => ssl },
  { heading: 'AUTHENTICATION', text: ({ authentication }) => (authentication ? 'yes' : 'no') },
  {
    heading: 'PROBLEM',
    // What is on its way is no problem, and is told to people alone.
    text: ({ problem, pending }) => problem ?? pending ?? '-',
    exact: ({ problem }) => problem ?? '',
    tone: ({ problem }) => (problem === null ? undefined : 'red'),
    mayShrink: true,
  },
];
