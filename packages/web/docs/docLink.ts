import { posix } from 'node:path';
import { addressOf, docPages } from './docPages.ts';

/** Files that the pages name and that the gateway serves elsewhere. */
const SERVED: Record<string, string> = { 'docs/openapi.json': '/api/openapi.json' };

/**
 * The address of what the Markdown file `source` links to: another page, a heading, something that the gateway serves,
 * or an address of the web.
 * @throws for anything else: anyone who pressed it would find nothing
 */
export function docLink(source: string, href: string): string {
  if (/^https?:\/\//.test(href) || href.startsWith('#')) return href;
  const [path = '', anchor] = href.split('#', 2);
  const target = posix.join(posix.dirname(source), path);
  const page = docPages.find((each) => each.source === target);
  const address = page === undefined ? SERVED[target] : addressOf(page);
  if (address === undefined) throw new Error(`${source} links to ${href}, which is no page of the documentation.`);
  return anchor === undefined ? address : `${address}#${anchor}`;
}
