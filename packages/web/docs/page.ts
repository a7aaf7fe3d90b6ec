import { addressOf, docLink, type DocPage, docPages, readMarkdown } from './docPages.ts';
import { type DocHeading, type DocText, escapeHtml, renderMarkdown, textOf } from './markdown.ts';
import type { Section } from './search.ts';

/** Where a page finds what it needs in the browser. */
export type DocFiles = { stylesheet: string; script: string; index: string };

/** With fewer sections a page is seen at a glance. */
const SECTIONS_LISTED_FROM = 3;
/** With more than these, only the larger ones are listed. */
const SECTIONS_LISTED_TO = 40;

/** The page's text as HTML, and its title: its first heading, or else its name in the navigation. */
function contentsOf(page: DocPage): DocText & { title: string; hasTitle: boolean } {
  const text = renderMarkdown(readMarkdown(page), (href) => docLink(page.source, href));
  const written = text.headings.find(({ depth }) => depth === 1);
  return { ...text, title: written?.text ?? page.label, hasTitle: written !== undefined };
}

/** The whole HTML of a page. */
export function renderPage(page: DocPage, files: DocFiles): string {
  const { html, headings, title, hasTitle } = contentsOf(page);
  const contents = listOf(headings);
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
<link rel="stylesheet" href="${escapeHtml(files.stylesheet)}">
<script src="${escapeHtml(files.script)}" type="module"></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="bar">
<button type="button" class="open-pages" popovertarget="pages" aria-label="All pages">${MENU_ICON}</button>
<a class="brand" href="/docs/">${MARK}<b>Sallyport</b> <span>Documentation</span></a>
<button type="button" class="search" aria-label="Search" aria-keyshortcuts="/ Control+K" hidden>${SEARCH_ICON}<span>Search</span><kbd>/</kbd></button>
<a class="console" href="/">Console</a>
</header>
<div class="frame">
<nav id="pages" aria-label="Documentation" popover>
${closeButton('pages')}${navigation(page)}</nav>
<main id="main" tabindex="-1">
${hasTitle ? '' : `<h1>${escapeHtml(title)}</h1>\n`}${contents === '' ? '' : `<button type="button" class="open-contents" popovertarget="contents">On this page</button>\n`}${html}</main>
${contents === '' ? '' : `<nav id="contents" aria-label="On this page" popover>\n${closeButton('contents')}<h2>On this page</h2>\n${contents}</nav>\n`}</div>
<dialog id="search" aria-label="Search the documentation" data-index="${escapeHtml(files.index)}">
<div class="field">${SEARCH_ICON}<input type="search" aria-label="Search the documentation" placeholder="Search the documentation" autocomplete="off" spellcheck="false" enterkeyhint="go"><button type="button" class="close">Close</button></div>
<p role="status"></p>
<ul></ul>
</dialog>
</body>
</html>
`;
}

const closeButton = (list: string): string =>
  `<button type="button" class="close" popovertarget="${list}" popovertargetaction="hide">Close</button>\n`;

function listOf(headings: readonly DocHeading[]): string {
  const sections = headings.filter(({ depth }) => depth === 2 || depth === 3);
  const listed = sections.length > SECTIONS_LISTED_TO ? sections.filter(({ depth }) => depth === 2) : sections;
  if (listed.length < SECTIONS_LISTED_FROM) return '';
  const items = listed.map(
    ({ id, text, depth }) =>
      `<li${depth === 3 ? ' class="inner"' : ''}><a href="#${escapeHtml(id)}">${escapeHtml(text)}</a></li>`,
  );
  return `<ul>${items.join('\n')}</ul>\n`;
}

function navigation(current: DocPage): string {
  const groups = [...Map.groupBy(docPages, ({ group }) => group)].map(([group, pages]) => {
    const items = pages.map((page) => {
      const here = page.name === current.name ? ' aria-current="page"' : '';
      return `<li><a href="${addressOf(page)}"${here}>${escapeHtml(page.label)}</a></li>`;
    });
    return `<h2>${group}</h2>\n<ul>${items.join('\n')}</ul>\n`;
  });
  return groups.join('');
}

/** What the search looks through: every section of every page. */
export const searchIndex = (): Section[] => docPages.flatMap(sectionsOf);

const HEADING = /<h[1-4] id="([^"]*)">(.*)<\/h[1-4]>/;

function sectionsOf(page: DocPage): Section[] {
  const { html, title } = contentsOf(page);
  const [before = '', ...parts] = html.split(/(?=<h[1-4] id=")/);
  const address = addressOf(page);
  const start = { page: page.label, heading: title, address, text: textOf(before) };
  const sections = parts.map((part): Section => {
    const [, id = '', heading = ''] = HEADING.exec(part) ?? [];
    return {
      page: page.label,
      heading: textOf(heading),
      address: part.startsWith('<h1') ? address : `${address}#${id}`,
      text: textOf(part.replace(HEADING, '')),
    };
  });
  return start.text === '' ? sections : [start, ...sections];
}

/** The mark of the product, in the colours of the page's theme. */
const MARK = `<svg viewBox="0 0 24 24" width="28" height="28" aria-hidden="true">
<path class="wall" d="M2.75 4.5c0-.55.45-1 1-1h2.1c.55 0 1 .45 1 1v1.35h2.8V4.5c0-.55.45-1 1-1h2.7c.55 0 1 .45 1 1v1.35h2.8V4.5c0-.55.45-1 1-1h2.1c.55 0 1 .45 1 1v15c0 .83-.67 1.5-1.5 1.5h-2.5v-6.25a5.25 5.25 0 0 0-10.5 0V21h-2.5c-.83 0-1.5-.67-1.5-1.5z"/>
<path class="door" d="M8.25 14.75A3.75 3.75 0 0 1 12 11v10.1l-3.04 1.3a.5.5 0 0 1-.71-.46z"/>
</svg>`;
const icon = (path: string): string =>
  `<svg class="icon" viewBox="0 0 24 24" width="16" height="16" aria-hidden="true"><path d="${path}"/></svg>`;
const MENU_ICON = icon('M4 6h16M4 12h16M4 18h16');
const SEARCH_ICON = icon('m21 21-4.3-4.3M11 19a8 8 0 1 0 0-16 8 8 0 0 0 0 16z');
