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
  /** The heading of the navigation under which it stands. */
  group: string;
};

const ROOT = join(import.meta.dirname, '../../..');

const guide = (name: string, label: string): Omit<DocPage, 'group'> => ({
  name,
  source: `docs/guide/${name}.md`,
  label,
});

/** The navigation, from top to bottom: what to do first, what to look up after. */
const NAVIGATION: Record<string, readonly Omit<DocPage, 'group'>[]> = {
  'Get started': [
    guide('index', 'Start here'),
    guide('server', 'On a server in ten minutes'),
    guide('join', 'Join a host'),
    guide('docker', 'Docker'),
    guide('kubernetes', 'Kubernetes'),
    guide('home-assistant', 'Home Assistant'),
  ],
  'Keep it running': [
    guide('update', 'Update'),
    guide('backup', 'Back up and move'),
    guide('restrict-the-console', 'Restrict the console'),
    guide('behind-a-proxy', 'Behind another proxy'),
    guide('remove', 'Remove'),
    guide('troubleshooting', 'Troubleshooting'),
  ],
  Migrate: [
    guide('migrate-nginx-proxy-manager', 'From Nginx Proxy Manager'),
    guide('migrate-wiredoor', 'From Wiredoor'),
    guide('migrate-caddy', 'From Caddy'),
  ],
  Security: [
    guide('security', 'Security model'),
    { name: 'attackers', source: 'SECURITY.md', label: 'What an attacker can do' },
  ],
  Reference: [
    { name: 'operating', source: 'docs/operating.md', label: 'Settings, limits, files' },
    guide('cli', 'Get the CLI'),
    { name: 'commands', source: 'docs/cli.md', label: 'Commands' },
    { name: 'gateway-command', source: 'docs/gateway-command.md', label: 'Commands of the gateway' },
    { name: 'api', source: 'docs/api.md', label: 'API' },
    guide('not-yet', 'What is not there yet'),
  ],
  About: [
    guide('contact', 'Contact'),
    guide('source', 'Source code'),
    { name: 'licence', source: 'LICENSE', label: 'Licence' },
    guide('terms', 'Terms'),
    guide('sponsor', 'Sponsor'),
  ],
};

/** Every page there is, in the order of the navigation. */
export const docPages: readonly DocPage[] = Object.entries(NAVIGATION).flatMap(([group, pages]) =>
  pages.map((page) => ({ ...page, group })),
);

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
