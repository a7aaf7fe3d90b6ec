import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** A page of the documentation that the gateway serves. */
export type DocPage = {
  /** The last part of its address and the name of its file in the build. */
  name: string;
  /** Its Markdown, from the root of the repository. */
  source: string;
  /** What the navigation calls it. */
  label: string;
  group: 'Begin' | 'Deploy' | 'Script' | 'About';
};

const ROOT = join(import.meta.dirname, '../../..');

/** Every page there is, in the order of the navigation. */
export const docPages: readonly DocPage[] = [
  { name: 'index', source: 'docs/guide/index.md', label: 'Start here', group: 'Begin' },
  { name: 'operating', source: 'docs/operating.md', label: 'Operating a gateway', group: 'Begin' },
  { name: 'not-yet', source: 'docs/guide/not-yet.md', label: 'What is not there yet', group: 'Begin' },
  { name: 'docker', source: 'docs/guide/docker.md', label: 'Docker', group: 'Deploy' },
  { name: 'kubernetes', source: 'docs/guide/kubernetes.md', label: 'Kubernetes', group: 'Deploy' },
  { name: 'home-assistant', source: 'docs/guide/home-assistant.md', label: 'Home Assistant', group: 'Deploy' },
  { name: 'migrate-caddy', source: 'docs/guide/migrate-caddy.md', label: 'Move here from Caddy', group: 'Deploy' },
  { name: 'cli', source: 'docs/guide/cli.md', label: 'Get the CLI', group: 'Script' },
  { name: 'commands', source: 'docs/cli.md', label: 'Commands', group: 'Script' },
  { name: 'api', source: 'docs/api.md', label: 'API', group: 'Script' },
  { name: 'contact', source: 'docs/guide/contact.md', label: 'Contact', group: 'About' },
  { name: 'source', source: 'docs/guide/source.md', label: 'Source code', group: 'About' },
  { name: 'licence', source: 'LICENSE', label: 'Licence', group: 'About' },
  { name: 'terms', source: 'docs/guide/terms.md', label: 'Terms', group: 'About' },
  { name: 'sponsor', source: 'docs/guide/sponsor.md', label: 'Sponsor', group: 'About' },
];

/** Where the gateway serves the page. */
export const addressOf = ({ name }: Pick<DocPage, 'name'>): string => `/docs/${name === 'index' ? '' : name}`;

/** The page's Markdown as it is now. */
export const readMarkdown = ({ source }: Pick<DocPage, 'source'>): string => readFileSync(join(ROOT, source), 'utf8');

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
