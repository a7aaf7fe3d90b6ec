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
    const cuts = [...cutsIn(this.parse(code))].toSorted((one, other) => one.start - other.start);
    const shorter = cuts.reduceRight((text, { start, end, by }) => text.slice(0, start) + by + text.slice(end), code);
    return { code: shorter, map: null };
  },
});

type Cut = { start: number; end: number; by: string };
const cut = (start = 0, end = 0, by = ''): Cut => ({ start, end, by });

/** What to take out of a module, and what stands in its place. */
function* cutsIn(syntax: unknown): Generator<Cut> {
  if (typeof syntax !== 'object' || syntax === null) return;
  const { type, callee, arguments: given, start, end } = syntax as Syntax;
  const called = type === 'CallExpression' ? nameOf(callee as Syntax) : '';
  const values = (given ?? []) as Syntax[];
  const place = called.endsWith('.check') ? values.findIndex(isDescription) : (TEXT_ARGUMENTS[called] ?? -1);
  const text = called === '' ? textOf(syntax as Syntax) : values[place];
  const before = values[place - 1];
  const isCut = text?.type === 'Literal' || text?.type === 'TemplateLiteral' || called.endsWith('.check');
  if (text !== undefined && isCut) {
    if (called === 'described') {
      // What is described by nothing is the schema itself.
      yield cut(start, before?.start);
      yield cut(before?.end, end);
    } else if (text === values.at(-1)) yield cut(before?.end ?? text.start, text.end);
    else yield cut(text.start, text.end, "''");
  }
  for (const part of [callee, ...(given === undefined ? Object.values(syntax) : values)]) {
    if (part !== text) yield* cutsIn(part);
  }
}

/** The text of a property. */
function textOf({ type, key, value }: Syntax): Syntax | undefined {
  return type === 'Property' && TEXTS.includes(String((key as Syntax)['name'])) ? (value as Syntax) : undefined;
}

/** Whether it is `z.meta({ description })`, which says nothing else; it is the last of a schema's checks. */
function isDescription({ type, callee, arguments: given }: Syntax, index: number, checks: readonly Syntax[]): boolean {
  if (type !== 'CallExpression' || nameOf(callee as Syntax) !== 'z.meta' || index !== checks.length - 1) return false;
  const properties = ((given as Syntax[])[0]?.['properties'] ?? []) as Syntax[];
  return properties.length === 1 && textOf(properties[0] ?? {}) !== undefined;
}

/** `call`, or `attribute.optional` of what is a part of something. */
function nameOf({ type, name, object, property }: Syntax): string {
  return type === 'MemberExpression' ? `${nameOf(object as Syntax)}.${nameOf(property as Syntax)}` : String(name);
}
