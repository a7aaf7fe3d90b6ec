import GithubSlugger from 'github-slugger';
import { Marked, type Tokens } from 'marked';

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
      code: ({ text, lang }) =>
        `<div class="code"><pre tabindex="0"><code>${lang === 'console' ? transcript(text) : escapeHtml(text)}</code></pre></div>\n`,
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

/** A command after a prompt, with the lines that it goes on in. */
const COMMAND = /^\$ ((?:.*\\\n)*.*)$/gm;

/** What stands in a terminal. The prompt is drawn by the style, so that it is never copied with the command. */
const transcript = (text: string): string => escapeHtml(text).replaceAll(COMMAND, '<kbd>$1</kbd>');

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const SIGNS = new Map(Object.entries(ENTITIES).map(([sign, entity]) => [entity, sign]));

/** Text as it may stand in HTML, in an attribute too. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);

/** What a reader sees of HTML that {@link renderMarkdown} has made, on one line. */
export const textOf = (html: string): string =>
  html
    .replaceAll(/<\/(td|th)>(?=<\1)/g, ' · ')
    .replaceAll(/<[^>]*>/g, (tag) => (/^<\/?(?:code|kbd|a|em|strong)\b/.test(tag) ? '' : ' '))
    .replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => SIGNS.get(entity) ?? entity)
    .replaceAll(/\s+/g, ' ')
    .trim();
