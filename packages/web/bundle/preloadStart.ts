import type { Plugin } from 'vite';
import { START_CHUNK } from './chunkGroups.ts';

/** The font of everything but logs. */
const TEXT_FONT = /inter-.*\.woff2$/;

/**
 * Has the browser fetch as soon as it reads the page what every screen needs: the console itself, rather than when the first
 * script asks for it, and the font of its text, rather than once there is text, which would be laid out twice.
 */
export function preloadStart(): Plugin {
  return {
    name: 'sallyport-preload-start',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const start = Object.values(bundle).find((file) => file.type === 'chunk' && file.name === START_CHUNK);
        if (start?.type !== 'chunk') throw new Error(`The build has made no chunk named ${START_CHUNK}.`);
        const font = Object.keys(bundle).find((name) => TEXT_FONT.test(name));
        if (font === undefined) throw new Error('The build has no font for text.');
        const link = (attrs: Record<string, string | boolean>) => ({ tag: 'link', attrs, injectTo: 'head' as const });
        return [
          ...[start.fileName, ...start.imports]
            .filter((file) => !html.includes(file))
            .map((file) => link({ rel: 'modulepreload', crossorigin: true, href: `/${file}` })),
          link({ rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: true, href: `/${font}` }),
        ];
      },
    },
  };
}
