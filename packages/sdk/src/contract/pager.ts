import { contract, type Group } from './contract.ts';
import type { Endpoint } from './endpoint.ts';

/** The name of what pages through a list: `all` for `list` and `listAll`, `allHttp` for `listHttp`; null: nothing does. */
export function pagerOf(group: string, verb: string, endpoint: Endpoint): string | null {
  if (endpoint.kind !== 'call' || endpoint.paged !== true) return null;
  if (verb === 'listAll') return 'all';
  // The list over all nodes takes a node as well.
  return verb === 'list' && 'listAll' in contract[group as Group] ? null : verb.replace('list', 'all');
}
