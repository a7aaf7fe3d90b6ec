import type { ConfigText } from './configText.ts';
import { quoted } from './nginxText.ts';

// Only what nginx itself has to say; a backend's own errors pass through untouched. No page names anything that the
// request brought along.
const PAGES: Record<number, { title: string; text: string }> = {
  403: { title: 'Not allowed', text: 'This service cannot be visited from your address.' },
  404: { title: 'Nothing here', text: 'The gateway works, but no service is open at this address.' },
  502: { title: 'No answer', text: 'The service behind this address does not answer. Try again in a moment.' },
  503: { title: 'Closed for now', text: 'The service behind this address is not available at the moment.' },
  504: { title: 'Too slow', text: 'The service behind this address took too long to answer. Try again in a moment.' },
};

const STYLE = [
  ':root{color-scheme:light dark}',
  'body{margin:0;min-height:100vh;display:grid;place-items:center;font:1.05rem/1.5 system-ui,sans-serif;background:Canvas;color:CanvasText}',
  'main{max-width:26rem;padding:2rem}',
  'h1{margin:0;font-size:1.6rem;line-height:1.2}',
  'p{margin:.6rem 0 0}',
  '.code{margin:0 0 .4rem;font:600 .85rem/1 ui-monospace,monospace;letter-spacing:.12em;opacity:.7}',
].join('');

const html = (code: string, { title, text }: { title: string; text: string }): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
  `<meta name="robots" content="noindex"><title>${title}</title><style>${STYLE}</style></head>` +
  `<body><main><p class="code">${code}</p><h1>${title}</h1><p>${text}</p></main></body></html>`;

/** The pages, once for all servers, as a variable that depends on the status. */
export function writePages(out: ConfigText): void {
  out.block('map $status $error_page', () => {
    for (const [code, page] of Object.entries(PAGES)) out.line(`${code} ${quoted(html(code, page))}`);
  });
}

/** Lets a server answer its own errors with the pages. */
export function useErrorPages(out: ConfigText): void {
  out.line(`error_page ${Object.keys(PAGES).join(' ')} @error_page`);
  out.block('location @error_page', () => {
    out.line('add_header Cache-Control no-store always');
    out.line(`add_header Content-Security-Policy "default-src 'none'; style-src 'unsafe-inline'" always`);
    // The status of the error stands; this one is only the form of the directive.
    out.line('return 200 $error_page');
  });
}
