import { asOneLine, serviceAccesses, type ServiceQuery, serviceStatuses } from '@sallyport/sdk/contract';
import { type ListKind, listQuery, type ListsSearch } from '../../state/listView.ts';

/** The list of all services. */
export const allServicesList = {
  name: '',
  columns: ['name', 'address', 'node'],
  size: 50,
  tagged: true,
} as const satisfies ListKind<string>;

/** What each kind is to the gateway, which counts UDP services among the TCP services. */
const kinds = { http: { type: 'http' }, tcp: { proto: 'tcp' }, udp: { proto: 'udp' } } as const;

/** What the address of the list says of which services it shows; `servicesSearch` keeps the words. */
export type ServicesFilter = {
  kind?: keyof typeof kinds;
  status?: (typeof serviceStatuses)[number];
  access?: (typeof serviceAccesses)[number];
  /** The id of a node. */
  node?: number;
  domain?: string;
};

/** The filters of the panel: tags are a word of every list, with a comma between them. */
export type ShownFilter = ServicesFilter & { tag?: string };

const DOMAIN_MAX_CHARS = 253;

/** The filters in the search of an address; what it cannot mean is left out. */
export function servicesFilter(search: Record<string, unknown>): ServicesFilter {
  const { kind, status, access, node, domain } = search;
  const known = <T extends string>(values: readonly T[], value: unknown) => values.find((each) => each === value);
  const filter = {
    kind: known(['http', 'tcp', 'udp'] as const, kind),
    status: known(serviceStatuses, status),
    access: known(serviceAccesses, access),
    node: Number.isSafeInteger(node) && Number(node) > 0 ? Number(node) : undefined,
    domain: typeof domain === 'string' ? asOneLine(domain).slice(0, DOMAIN_MAX_CHARS) || undefined : undefined,
  };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as ServicesFilter;
}

/** What the gateway is asked for by an address. */
export function servicesQuery(search: ListsSearch): ServiceQuery {
  const { kind, node, ...others } = servicesFilter(search);
  return {
    ...listQuery(allServicesList, search),
    ...others,
    ...(kind && kinds[kind]),
    ...(node === undefined ? {} : { nodeId: node }),
  };
}
