import { docLink } from './docLink.ts';
import { addressOf, docPages, readMarkdown, type DocPage } from './docPages.ts';
import { escapeHtml } from './escapeHtml.ts';
import { renderMarkdown, type DocHeading } from './renderMarkdown.ts';

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
<script src="/theme.js"></script>
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
