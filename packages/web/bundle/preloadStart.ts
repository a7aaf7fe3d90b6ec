import type { Plugin } from 'vite';
import { START_CHUNK } from './chunkGroups.ts';

/** Has the browser fetch the console itself as soon as it reads the page, rather than when the first script asks for it. */
export function preloadStart(): Plugin {
  return {
    name: 'sallyport-preload-start',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const start = Object.values(bundle).find((file) => file.type === 'chunk' && file.name === START_CHUNK);
        if (start?.type !== 'chunk') throw new Error(`The build has made no chunk named ${START_CHUNK}.`);
        return [start.fileName, ...start.imports]
          .filter((file) => !html.includes(file))
          .map((file) => ({
            tag: 'link',
            attrs: { rel: 'modulepreload', crossorigin: true, href: `/${file}` },
            injectTo: 'head',
          }));
      },
    },
  };
}
