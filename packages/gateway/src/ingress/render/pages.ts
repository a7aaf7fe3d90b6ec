import { type ConfigText, quoted } from './configText.ts';
import { writeHsts } from './responseHeaders.ts';

// Only what nginx itself has to say; a backend's own errors pass through untouched. No page names anything that the
// request brought along. 400 and 414 stay nginx's: without a URI there is no way to a location, and they would become 500.
const PAGES: Record<number, { title: string; text: string }> = {
  403: { title: 'Not allowed', text: 'This service cannot be visited from your address.' },
  404: { title: 'Nothing here', text: 'The gateway works, but no service is open at this address.' },
  405: { title: 'Not possible', text: 'The gateway does not take requests of this kind.' },
  421: { title: 'Nothing here', text: 'The gateway works, but no service is open under this name.' },
  500: { title: 'Something went wrong', text: 'The gateway could not handle this request. Try again in a moment.' },
  502: { title: 'No answer', text: 'The service behind this address does not answer. Try again in a moment.' },
  503: {
    title: 'Closed for now',
    text: 'The service behind this address is not available at the moment. Try again later.',
  },
  // Mostly a host that is off, or behind a firewall: it takes no connection.
  504: {
    title: 'Not reachable at the moment',
    text: 'The service behind this address did not answer in time. Try again in a moment.',
  },
};

/** Of a visitor whose request is too long to ask the gateway, which says it better. */
const NOT_SIGNED_IN = { title: 'Sign in first', text: 'You are not signed in, or not any more. Open the page again.' };

// The colours of the console. `light-dark()` is too young for some of the browsers that meet these pages.
const STYLE = [
  ':root{color-scheme:light dark;--ground:#f6f8f8;--card:#fff;--line:#dde3e4;--ink:#16222a;--muted:#55646b;--wall:#1c272c;--door:#2a7a86}',
  '@media(prefers-color-scheme:dark){:root{--ground:#0a1216;--card:#121b20;--line:#263238;--ink:#e9eeef;--muted:#a3b0b5;--wall:#e6ebec;--door:#55c8cf}}',
  'body{margin:0;min-height:100vh;display:grid;place-items:center;font:1rem/1.5 system-ui,sans-serif;background:var(--ground);color:var(--ink)}',
  'main{box-sizing:border-box;width:min(27rem,calc(100vw - 2rem));padding:2rem;border:1px solid var(--line);border-radius:.75rem;background:var(--card)}',
  'svg{display:block;width:2.5rem;height:2.5rem;margin:0 0 1.25rem}',
  'h1{margin:0;font-size:1.5rem;line-height:1.25;letter-spacing:-.01em}',
  // An e-mail may be one long word.
  'p{margin:.5rem 0 0;color:var(--muted);overflow-wrap:anywhere}',
  '.way{margin:1.5rem 0 0}',
  'a{display:inline-block;padding:.5rem 1rem;border-radius:.375rem;background:var(--door);color:var(--card);font-weight:500;text-decoration:none}',
  'a:hover{text-decoration:underline}',
  'a:focus-visible{outline:2px solid var(--door);outline-offset:2px}',
  '.code{margin:0 0 .25rem;font:600 .8125rem/1.4 ui-monospace,monospace;letter-spacing:.1em;color:var(--door)}',
].join('');

const DOOR =
  '<svg viewBox="0 0 24 24" aria-hidden="true"><path fill="var(--wall)" d="M2.75 4.5c0-.55.45-1 1-1h2.1c.55 0 1 .45 1 1v1.35h2.8V4.5c0-.55.45-1 1-1h2.7c.55 0 1 .45 1 1v1.35h2.8V4.5c0-.55.45-1 1-1h2.1c.55 0 1 .45 1 1v15c0 .83-.67 1.5-1.5 1.5h-2.5v-6.25a5.25 5.25 0 0 0-10.5 0V21h-2.5c-.83 0-1.5-.67-1.5-1.5z"/>' +
  '<path fill="var(--door)" d="M8.25 14.75A3.75 3.75 0 0 1 12 11v10.1l-3.04 1.3a.5.5 0 0 1-.71-.46z"/></svg>';

/**
 * A page of the gateway's own; all of it is HTML.
 * @param code the status, above the title; null: nothing went wrong
 * @param words `link` is the next step, below the text
 */
export const page = (
  code: string | null,
  { title, text, link }: { title: string; text: string; link?: { href: string; label: string } },
): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
  `<meta name="robots" content="noindex"><title>${title}</title><style>${STYLE}</style></head>` +
  `<body><main>${DOOR}${code === null ? '' : `<p class="code">${code}</p>`}<h1>${title}</h1><p>${text}</p>${link === undefined ? '' : `<p class="way"><a href="${link.href}">${link.label}</a></p>`}</main></body></html>`;

/** The pages, once for all servers, as a variable that depends on the status. */
export function writePages(out: ConfigText): void {
  out.block('map $status $error_page', () => {
    // The question whether a visitor signed in may have failed with another status first.
    out.line('volatile');
    for (const [code, words] of Object.entries({ ...PAGES, 401: NOT_SIGNED_IN }))
      out.line(`${code} ${quoted(page(code, words))}`);
  });
}

/**
 * Lets a server answer its own errors with the pages.
 * @param instead the status that visitors get in place of another
 * @param hsts as of the server: a location with headers of its own has none of the server's
 */
export function writeErrorPages(
  out: ConfigText,
  instead: Record<number, number> = {},
  hsts: number | null = null,
): void {
  const kept = Object.keys(PAGES).filter((code) => !(code in instead));
  out.line(`error_page ${kept.join(' ')} @error_page`);
  for (const [code, other] of Object.entries(instead)) out.line(`error_page ${code} =${other} @error_page`);
  out.block('location @error_page', () => {
    out.line('add_header Cache-Control no-store always');
    out.line(`add_header Content-Security-Policy "default-src 'none'; style-src 'unsafe-inline'" always`);
    writeHsts(out, hsts);
    // The status of the error stands; this one is only the form of the directive.
    out.line('return 200 $error_page');
  });
}
