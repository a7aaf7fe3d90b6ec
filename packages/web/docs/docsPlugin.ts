import { join } from 'node:path';
import type { Plugin, Rolldown } from 'vite';
import { addressOf, docPages } from './docPages.ts';
import { renderPage, searchIndex } from './page.ts';

const STYLESHEET = 'docs.css';
const SCRIPT = 'browser.ts';
const INDEX = '/docs/search.json';

/** Adds the pages of the documentation to the build, and serves them while developing, as they are at each request. */
export function docsPlugin(): Plugin {
  return {
    name: 'sallyport-docs',
    enforce: 'post',
    configureServer(server) {
      const files = { stylesheet: `/docs/${STYLESHEET}`, script: `/docs/${SCRIPT}`, index: INDEX };
      server.middlewares.use((request, response, next) => {
        const path = (request.url ?? '').replace(/[?#].*$/, '');
        if (path === INDEX) {
          response.setHeader('content-type', 'application/json').end(JSON.stringify(searchIndex()));
          return;
        }
        const page = docPages.find((each) => addressOf(each) === path);
        if (page === undefined) return next();
        response.setHeader('content-type', 'text/html; charset=utf-8').end(renderPage(page, files));
      });
    },
    buildStart() {
      if (this.environment.mode !== 'build') return;
      this.emitFile({ type: 'chunk', id: join(import.meta.dirname, STYLESHEET), name: 'docs' });
      this.emitFile({ type: 'chunk', id: join(import.meta.dirname, SCRIPT), name: 'docs-page' });
    },
    generateBundle(_options, bundle) {
      const index = this.emitFile({ type: 'asset', name: 'docs-search.json', source: JSON.stringify(searchIndex()) });
      const files = {
        stylesheet: addressIn(bundle, (file) => file.type === 'asset' && file.names.includes(STYLESHEET)),
        script: addressIn(bundle, (file) => file.type === 'chunk' && file.name === 'docs-page'),
        index: `/${this.getFileName(index)}`,
      };
      for (const page of docPages) {
        this.emitFile({ type: 'asset', fileName: `docs/${page.name}.html`, source: renderPage(page, files) });
      }
    },
  };
}

function addressIn(
  bundle: Rolldown.OutputBundle,
  is: (file: Rolldown.OutputAsset | Rolldown.OutputChunk) => boolean,
): string {
  const file = Object.values(bundle).find(is);
  if (file === undefined) throw new Error('The build has made no style or no script for the documentation.');
  return `/${file.fileName}`;
}
