import { join } from 'node:path';
import type { Plugin } from 'vite';
import { addressOf, docPages } from './docPages.ts';
import { renderPage } from './renderPage.ts';

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
