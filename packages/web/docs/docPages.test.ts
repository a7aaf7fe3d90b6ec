import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { links } from '../src/data/links.tsx';
import { addressOf, docLink, docPages } from './docPages.ts';
import { renderMarkdown } from './markdown.ts';
import { renderPage, searchIndex } from './page.ts';
import { search } from './search.ts';

const files = { stylesheet: '/assets/docs.css', script: '/assets/docs.js', index: '/assets/search.json' };
const pages = new Map(docPages.map((page) => [addressOf(page), renderPage(page, files)]));

/** Everything that a page leads to or loads. */
const targetsIn = (html: string) => [...html.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, target = '']) => target);
const idsIn = (html: string) => [...html.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id);

/** What the gateway serves next to the pages. */
const SERVED = ['/', '/favicon.svg', '/first.js', files.stylesheet, files.script, '/api/openapi.json'];

/** Whether a link on the page at `address` finds something; nothing of elsewhere does where there is no internet. */
function isThere(target: string, address: string): boolean {
  const { origin, pathname, hash } = new URL(target, `https://gateway.test${address}`);
  if (origin !== 'https://gateway.test') return false;
  const page = pages.get(pathname);
  if (page === undefined) return SERVED.includes(pathname);
  return hash === '' || idsIn(page).includes(decodeURIComponent(hash.slice(1)));
}

describe('the documentation', () => {
  it.each(Object.entries(links))('has the page that the console calls %s, %s', (_, address) => {
    expect([...pages.keys()]).toContain(address);
  });

  it('has every guide that is written', () => {
    const guides = readdirSync(join(import.meta.dirname, '../../../docs/guide')).map((name) => `docs/guide/${name}`);
    expect(docPages.map(({ source }) => source)).toEqual(expect.arrayContaining(guides));
  });

  it.each([...pages])('leads from %s to nothing that is not there', (address, html) => {
    expect(targetsIn(html).filter((target) => !isThere(target, address))).toEqual([]);
  });

  it.each([...pages])('gives %s one title, ids of its own and nothing that the policy forbids', (_, html) => {
    expect(html.match(/<h1[ >]/g)).toHaveLength(1);
    expect(new Set(idsIn(html)).size).toBe(idsIn(html).length);
    expect(html).not.toMatch(
      /<style|<script(?! src="\/(?:first|assets\/docs)\.js"(?: type="module")?><\/script>)|<[^>]* (?:style|on\w+)=/i,
    );
  });

  it.each([...pages])('leads from %s to every other page', (_, html) => {
    const list = html.slice(html.indexOf('<nav id="pages"'), html.indexOf('</nav>'));
    expect(targetsIn(list)).toEqual([...pages.keys()]);
  });

  it('names a page after its first heading, and marks it in the navigation', () => {
    const html = pages.get('/docs/docker') ?? '';
    expect(html).toContain('<title>Docker | Sallyport</title>');
    expect(html).toContain('<a href="/docs/docker" aria-current="page">Docker</a>');
    expect(pages.get('/docs/licence')).toContain('<h1>Licence</h1>');
  });
});

describe('the search', () => {
  const sections = searchIndex();
  const found = (query: string) => search(sections, query).map(({ section }) => section.address);

  it('knows every page, and only places that are there', () => {
    const known = new Set(sections.map(({ address }) => address.replace(/#.*/, '')));
    expect([...known]).toEqual([...pages.keys()]);
    expect(sections.filter(({ address }) => !isThere(address, '/docs/'))).toEqual([]);
  });

  it.each([
    ['ufw', '/docs/server#3-open-the-ports'],
    ['BACKUP recipient', '/docs/backup#each-night'],
    ['SALLYPORT_VPN_SUBNET', '/docs/operating#settings'],
    ['sallyport join-key create', '/docs/commands#sallyport-join-key-create-name'],
    ['curl: (90)', '/docs/troubleshooting#the-join-line-does-not-work'],
    ['GET /api/nodes/{id}', '/docs/api#nodeget'],
  ])('finds %s', (query, address) => {
    expect(found(query)).toContain(address);
  });

  it('names first what has the words in its heading', () => {
    expect(found('remove')[0]).toBe('/docs/remove');
    expect(found('restore')[0]).toBe('/docs/backup#restore');
  });

  it('needs every word, and finds nothing without one', () => {
    expect(found('ufw xylophone')).toEqual([]);
    expect(found('  ')).toEqual([]);
  });

  it('shows the words where they stand in the text', () => {
    const [hit] = search(sections, 'ufw allow');
    expect(hit?.excerpt).toMatch(/ufw allow 80,443/);
    expect(hit?.excerpt).not.toMatch(/&|<|\s\s/);
  });
});

describe('Markdown', () => {
  const htmlOf = (markdown: string) => renderMarkdown(markdown, (href) => docLink('docs/guide/index.md', href)).html;

  it('shows HTML and does not run it', () => {
    const html = htmlOf(
      '<script>alert(1)</script>\n\nso <b onclick="x">it</b> `<i>` is\n\n```html\n<u>&amp;</u>\n```\n',
    );
    expect(html).not.toMatch(/<(?:script|b|i|u)\b/);
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(html).toContain('&lt;b onclick=&quot;x&quot;&gt;it');
    expect(html).toContain('&lt;u&gt;&amp;amp;&lt;/u&gt;');
  });

  it('leaves out what is written for those who edit it', () => {
    expect(htmlOf('# One\n\n<!-- Generated. -->\n\nTwo\n')).not.toContain('Generated');
  });

  it('leads to the page of a file, and to its headings', () => {
    const html = htmlOf('[a](docker.md) [b](../api.md#error) [c](#words) [d](index.md) [e](../openapi.json)');
    const targets = ['/docs/docker', '/docs/api#error', '#words', '/docs/', '/api/openapi.json'];
    expect(targetsIn(html)).toEqual(targets);
  });

  it.each([
    'gone.md',
    '../../packages/gateway/src/config.ts',
    'javascript:alert(1)',
    '//example.test/',
    '/docs/docker',
  ])('refuses a link to %s, and says where it stands', (href) => {
    expect(() => htmlOf(`[x](${href})`)).toThrow(`docs/guide/index.md links to ${href}`);
  });

  it('refuses a picture, which no one would serve', () => {
    expect(() => htmlOf('![x](x.png)')).toThrow('x.png');
  });

  it('gives headings the ids that GitHub gives them', () => {
    const { headings } = renderMarkdown('# A & B\n\n## `node.list`\n\n## Start, stop\n\n## Start, stop\n', String);
    expect(headings.map(({ id }) => id)).toEqual(['a--b', 'nodelist', 'start-stop', 'start-stop-1']);
  });

  it('draws the prompt of a command, and leaves it out of its text', () => {
    const html = htmlOf('```console\n$ sudo one \\\n    two\nwhat <it> says\n$ three\n```\n');
    expect(html).toContain('<kbd>sudo one \\\n    two</kbd>\nwhat &lt;it&gt; says\n<kbd>three</kbd>');
  });

  it('tells each cell what its column is called', () => {
    expect(htmlOf('| a "b" | c |\n|---|---|\n| 1 | `2` |\n')).toContain(
      '<td role="cell" data-label="a &quot;b&quot;">1</td><td role="cell" data-label="c"><code>2</code></td>',
    );
  });
});
