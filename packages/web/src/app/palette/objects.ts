import { isApiError } from '@sallyport/sdk';
import { asOneLine, type Domain, type Node } from '@sallyport/sdk/contract';
import { tagKey } from '@sallyport/sdk/rules';
import type { NavigateOptions } from '@tanstack/react-router';
import { Globe, Server, Waypoints } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { ConsoleClient } from '../../data/connection.ts';
import { invoke, useRead } from '../../data/queries.ts';
import { type Service, serviceKinds } from '../../features/services/services.ts';
import type { Visit } from '../../state/visits.ts';

/** What the palette finds. `list` is the group of the calls that find them. */
export const kinds = {
  node: { group: 'node', list: 'node', one: 'Node', icon: Server },
  domain: { group: 'domain', list: 'domain', one: 'Domain', icon: Globe },
  http: { group: serviceKinds.http.group, list: 'service', one: 'HTTP', icon: Globe },
  tcp: { group: serviceKinds.tcp.group, list: 'service', one: 'TCP', icon: Waypoints },
} as const;

/** A row of the palette: an object and the text next to its name. */
export type Found = Visit & { detail?: string };

/** An object as it is stored now. A service is there together with its node, without which it cannot be edited. */
export type Stored =
  | { kind: 'node'; node: Node }
  | { kind: 'domain'; domain: Domain }
  | { kind: 'http' | 'tcp'; service: Service; node: Node };

/** Reads an object again; null when it was deleted. */
export async function readStored(client: ConsoleClient, { kind, id, nodeId = 0 }: Visit): Promise<Stored | null> {
  try {
    if (kind === 'node') return { kind, node: await invoke(client, 'node.get', { params: { id } }) };
    if (kind === 'domain') return { kind, domain: await invoke(client, 'domain.get', { params: { id } }) };
    const [service, node] = await Promise.all([
      invoke(client, `${kinds[kind].group}.get`, { params: { nodeId, id } }),
      invoke(client, 'node.get', { params: { id: nodeId } }),
    ]);
    return { kind, service, node };
  } catch (error) {
    if (isApiError(error, 'missing')) return null;
    throw error;
  }
}

/** The object under the name that it has now. */
export function visitOf(stored: Stored): Visit {
  if (stored.kind === 'node') return { kind: 'node', id: stored.node.id, name: stored.node.name };
  if (stored.kind === 'domain') return { kind: 'domain', id: stored.domain.id, name: stored.domain.domain };
  const { id, nodeId, name } = stored.service;
  return { kind: stored.kind, id, nodeId, name };
}

/** Where an object is seen: on its page, or a domain in its list, which looks for it. */
export function placeOf(stored: Stored): NavigateOptions {
  if (stored.kind === 'node') return { to: '/nodes/$id', params: { id: String(stored.node.id) } };
  if (stored.kind === 'domain') {
    const { id, domain } = stored.domain;
    return { to: '/domains', search: { search: domain, open: id } };
  }
  const { id, nodeId } = stored.service;
  return {
    to: '/nodes/$nodeId/$type/$id',
    params: { nodeId: String(nodeId), type: stored.kind, id: String(id) },
  };
}

/** The gateway is asked so long after the last keystroke. */
const DEBOUNCE_MS = 150;
/** So many of each list are shown. */
const LIMIT = 5;
/** There are two kinds of them. */
const SERVICES_LIMIT = 10;

/** What a list of the gateway has: the first few, and how many there are. */
type FoundGroup = { title: string; rows: readonly Found[]; total: number };
/** A list, narrowed down to what has a tag. */
type TaggedList = { label: string; place: NavigateOptions };

/**
 * Looks for objects by the search of their lists. While the answer to the text is on its way, those of the text before
 * are shown that have the new one in what is seen of them. `state`: `searching` until all lists are answered. Where the text
 * is a tag, `tagged` has the lists of what has it.
 */
export function useFound(text: string): {
  groups: FoundGroup[];
  tagged: TaggedList[];
  state: 'found' | 'searching' | 'failed';
} {
  const wanted = asOneLine(text).trim();
  const [asked, setAsked] = useState(wanted);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(wanted), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [wanted]);

  const options = { enabled: asked !== '', keep: true };
  const query = { search: asked, limit: LIMIT };
  const nodes = useRead('node.list', { query }, options);
  const domains = useRead('domain.list', { query }, options);
  const services = useRead('service.list', { query: { ...query, limit: SERVICES_LIMIT } }, options);
  const lists = [nodes, domains, services];
  if (wanted === '') return { groups: [], tagged: [], state: 'found' };

  const isSettled = asked === wanted && lists.every(({ data, isPlaceholderData }) => data && !isPlaceholderData);
  const groups: FoundGroup[] = [
    groupOf('Nodes', nodes.data, ({ id, name, address }) => ({ kind: 'node', id, name, detail: address })),
    groupOf('Domain Names', domains.data, ({ id, domain }) => ({ kind: 'domain', id, name: domain })),
    groupOf('Services', services.data, ({ type, id, nodeId, name, publicAccess }) => ({
      kind: type,
      id,
      nodeId,
      name,
      detail: publicAccess,
    })),
  ];
  if (isSettled) {
    const tagged = [
      taggedList('Services', '/services', services.data, wanted),
      taggedList('Nodes', '/nodes', nodes.data, wanted),
      taggedList('Domain Names', '/domains', domains.data, wanted),
    ];
    return { groups, tagged: tagged.filter((list) => list !== null), state: 'found' };
  }
  const has = ({ name, detail = '' }: Found) => matches(`${name} ${detail}`, wanted);
  const narrowed = groups.map(({ title, rows }) => {
    const kept = rows.filter(has);
    return { title, rows: kept, total: kept.length };
  });
  const isFailed = asked === wanted && lists.some(({ isError }) => isError);
  return { groups: narrowed, tagged: [], state: isFailed ? 'failed' : 'searching' };
}

/** The list of what has a tag of this name, as the first ones found write it; null where none of them has it. */
function taggedList(
  title: string,
  to: '/services' | '/nodes' | '/domains',
  page: { data: readonly { tags: readonly string[] }[] } | undefined,
  wanted: string,
): TaggedList | null {
  const tag = page?.data.flatMap(({ tags }) => tags).find((each) => tagKey(each) === tagKey(wanted));
  return tag === undefined ? null : { label: `${title} tagged ${tag}`, place: { to, search: { tag } } };
}

/** Whether a label has a text in it, whatever the case. */
export const matches = (label: string, text: string): boolean => label.toLowerCase().includes(text.toLowerCase());

function groupOf<Row>(
  title: string,
  page: { data: readonly Row[]; total: number } | undefined,
  row: (one: Row) => Found,
): FoundGroup {
  return { title, rows: page?.data.map(row) ?? [], total: page?.total ?? 0 };
}
