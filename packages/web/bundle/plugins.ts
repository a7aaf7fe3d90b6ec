import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

/** The font of everything but logs. */
const TEXT_FONT = /inter-.*\.woff2$/;
const ICON = join(import.meta.dirname, '../public/favicon.svg');

/**
 * Has the browser fetch the font of the text with the page, rather than once there is text, which would be laid out twice, and
 * gives it the icon in the page: it is smaller than a request.
 */
export function completePage(): Plugin {
  return {
    name: 'sallyport-complete-page',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      async handler(html, { bundle = {} }) {
        const font = Object.keys(bundle).find((name) => TEXT_FONT.test(name));
        if (font === undefined) throw new Error('The build has no font for text.');
        const icon = encodeURIComponent(await readFile(ICON, 'utf8'));
        const attrs = { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: true, href: `/${font}` };
        return {
          html: html.replace('"/favicon.svg"', `"data:image/svg+xml,${icon}"`),
          tags: [{ tag: 'link', attrs, injectTo: 'head' }],
        };
      },
    },
  };
}

/** Fonts are compressed already. */
const TEXT = /\.(?:js|css|html|svg|json)$/;
/** Smaller files are sent in one packet either way. */
const SMALLEST_BYTES = 1024;

const COMPRESSIONS = {
  br: (bytes: Buffer) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  gz: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
};

/** Lays next to each file of the build what the gateway sends of it to a browser that can read it compressed. */
export function compressFiles(): Plugin {
  return {
    name: 'sallyport-compress-files',
    apply: 'build',
    enforce: 'post',
    async writeBundle({ dir = '' }, bundle) {
      const names = Object.keys(bundle).filter((name) => TEXT.test(name));
      await Promise.all(
        names.map(async (name) => {
          const bytes = await readFile(join(dir, name));
          if (bytes.length < SMALLEST_BYTES) return;
          await Promise.all(
            Object.entries(COMPRESSIONS).map(async ([ending, compress]) =>
              writeFile(join(dir, `${name}.${ending}`), await compress(bytes)),
            ),
          );
        }),
      );
    },
  };
}

const CONTRACT = /[\\/]sdk[\\/]src[\\/]contract[\\/]\w+\.ts$/;
/** What the contract says for readers of the documentation. */
const TEXTS = ['summary', 'description'];
/** The functions that are given such a text, and at which place. */
const TEXT_ARGUMENTS: Record<string, number> = {
  described: 1,
  call: 2,
  file: 1,
  stream: 1,
  'attribute.required': 1,
  'attribute.optional': 1,
  'attribute.initially': 2,
  'attribute.defaulted': 2,
  'attribute.assigned': 1,
};

type Syntax = { type?: string; start?: number; end?: number; [part: string]: unknown };

/** Leaves the texts of the API's documentation, which no screen shows, out of the console. */
export const withoutDocumentation = (): Plugin => ({
  name: 'without-documentation',
  apply: 'build',
  transform(code, id) {
    if (!CONTRACT.test(id)) return null;
    const texts = [...textsIn(this.parse(code))].toSorted((one, other) => one.start - other.start);
    const shorter = texts.reduceRight((text, { start, end }) => `${text.slice(0, start)}''${text.slice(end)}`, code);
    return { code: shorter, map: null };
  },
});

/** Where the texts stand. */
function* textsIn(syntax: unknown): Generator<{ start: number; end: number }> {
  if (typeof syntax !== 'object' || syntax === null) return;
  const text = textOf(syntax as Syntax);
  if (text?.type === 'Literal' || text?.type === 'TemplateLiteral') {
    yield { start: text.start ?? 0, end: text.end ?? 0 };
  }
  for (const part of Object.values(syntax)) if (part !== text) yield* textsIn(part);
}

/** The text of a property, or of a call. */
function textOf({ type, key, value, callee, arguments: given }: Syntax): Syntax | undefined {
  if (type === 'Property') return TEXTS.includes(String((key as Syntax)['name'])) ? (value as Syntax) : undefined;
  const place = type === 'CallExpression' ? TEXT_ARGUMENTS[nameOf(callee as Syntax)] : undefined;
  return place === undefined ? undefined : (given as Syntax[])[place];
}

/** `call`, or `attribute.optional` of what is a part of something. */
function nameOf({ type, name, object, property }: Syntax): string {
  return type === 'MemberExpression' ? `${nameOf(object as Syntax)}.${nameOf(property as Syntax)}` : String(name);
}
