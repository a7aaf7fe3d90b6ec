import GithubSlugger from 'github-slugger';
import { Marked, type Tokens } from 'marked';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { addressOf, docLink, type DocPage, docPages, readMarkdown } from './docPages.ts';

const STYLESHEET = 'docs.css';

/** Adds the pages of the documentation to the build, and serves them while developing, as they are at each request. */
export function docsPlugin(): Plugin {
  return {
    name: 'sallyport-docs',
    enforce: 'post',
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        const path = (request.url ?? '').replace(/[?#].*$/, '');
        const page = docPages.find((each) => addressOf(each) === path);
        if (page === undefined) return next();
        response.setHeader('content-type', 'text/html; charset=utf-8').end(renderPage(page, `/docs/${STYLESHEET}`));
      });
    },
    buildStart() {
      if (this.environment.mode !== 'build') return;
      this.emitFile({ type: 'chunk', id: join(import.meta.dirname, STYLESHEET), name: 'docs' });
    },
    generateBundle(_options, bundle) {
      const stylesheet = Object.values(bundle).find((file) => file.type === 'asset' && file.names.includes(STYLESHEET));
      if (stylesheet === undefined) throw new Error(`The build has made no ${STYLESHEET}.`);
      for (const page of docPages) {
        const source = renderPage(page, `/${stylesheet.fileName}`);
        this.emitFile({ type: 'asset', fileName: `docs/${page.name}.html`, source });
      }
    },
  };
}

/** With fewer sections a page is seen at a glance. */
const SECTIONS_LISTED_FROM = 3;

/** The whole HTML of a page. @param stylesheet its address */
export function renderPage(page: DocPage, stylesheet: string): string {
  const { html, headings } = renderMarkdown(readMarkdown(page), (href) => docLink(page.source, href));
  const written = headings.find(({ depth }) => depth === 1);
  const title = written?.text ?? page.label;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)} | Sallyport</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<script src="/first.js"></script>
<link rel="stylesheet" href="${escapeHtml(stylesheet)}">
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="bar">
<a class="brand" href="/docs/"><img src="/favicon.svg" alt="" width="28" height="28">Sallyport <span>Documentation</span></a>
<a class="jump" href="#pages">All pages</a>
<a href="/">Console</a>
</header>
<div class="frame">
<main id="main" tabindex="-1">
${written === undefined ? `<h1>${escapeHtml(page.label)}</h1>\n` : ''}${html}</main>
<aside>
${sections(headings)}${navigation(page)}</aside>
</div>
</body>
</html>
`;
}

function sections(headings: readonly DocHeading[]): string {
  const listed = headings.filter(({ depth }) => depth === 2);
  if (listed.length < SECTIONS_LISTED_FROM) return '';
  const items = listed.map(({ id, text }) => `<li><a href="#${escapeHtml(id)}">${escapeHtml(text)}</a></li>`);
  return `<nav aria-label="On this page">
<h2>On this page</h2>
<ul>${items.join('\n')}</ul>
</nav>
`;
}

function navigation(current: DocPage): string {
  const groups = [...Map.groupBy(docPages, ({ group }) => group)].map(([group, pages]) => {
    const items = pages.map((page) => {
      const here = page.name === current.name ? ' aria-current="page"' : '';
      return `<li><a href="${addressOf(page)}"${here}>${escapeHtml(page.label)}</a></li>`;
    });
    return `<h2>${group}</h2>\n<ul>${items.join('\n')}</ul>\n`;
  });
  return `<nav id="pages" aria-label="Documentation">
${groups.join('')}</nav>
`;
}

/** A heading; the ids are those that GitHub gives, so a link works in both places. */
export type DocHeading = { id: string; depth: number; text: string };

export type DocText = {
  html: string;
  headings: DocHeading[];
};

const COMMENT = /^\s*<!--[\s\S]*-->\s*$/;

/**
 * Markdown as HTML without scripts, styles or anything else that the Markdown did not mean: HTML in it is shown, not run.
 * @param linkOf gives the address of a link's target, or throws
 */
export function renderMarkdown(markdown: string, linkOf: (href: string) => string): DocText {
  const slugger = new GithubSlugger();
  const headings: DocHeading[] = [];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const text = this.parser.parseInline(tokens, this.parser.textRenderer);
        const id = slugger.slug(text);
        headings.push({ id, depth, text });
        return `<h${depth} id="${escapeHtml(id)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const address = linkOf(href);
        const rel = address.startsWith('http') ? ' rel="noreferrer"' : '';
        return `<a href="${escapeHtml(address)}"${rel}>${this.parser.parseInline(tokens)}</a>`;
      },
      image({ href }) {
        throw new Error(`The picture ${href} would not be served: pages have none.`);
      },
      html: ({ text }) => (COMMENT.test(text) ? '' : escapeHtml(text)),
      // What scrolls must be reached by keyboard.
      code: ({ text }) => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`,
      table({ header, rows }) {
        const cellOf = (cell: Tokens.TableCell) => this.parser.parseInline(cell.tokens);
        const labels = header.map(({ tokens }) => this.parser.parseInline(tokens, this.parser.textRenderer));
        const head = header.map((cell) => `<th role="columnheader" scope="col">${cellOf(cell)}</th>`);
        const body = rows.map((row) => {
          const cells = row.map(
            (cell, index) => `<td role="cell" data-label="${escapeHtml(labels[index] ?? '')}">${cellOf(cell)}</td>`,
          );
          return `<tr role="row">${cells.join('')}</tr>\n`;
        });
        // Roles are spelled out: on a narrow screen rows are laid out as cards, which takes a table's own away.
        return `<table role="table"><thead role="rowgroup"><tr role="row">${head.join('')}</tr></thead>
<tbody role="rowgroup">${body.join('')}</tbody></table>\n`;
      },
    },
  });
  const html = marked.parse(markdown, { async: false });
  return { html, headings };
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text as it may stand in HTML, in an attribute too. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
