import type { Plugin } from 'vite';

const CONTRACT = /[\\/]sdk[\\/]src[\\/]contract[\\/]\w+\.ts$/;
/** What the contract says for readers of the documentation. */
const TEXTS = ['summary', 'description'];

type Syntax = { type?: string; start?: number; end?: number; [part: string]: unknown };

/** Leaves the texts of the API's documentation, which no screen shows, out of the console. */
export const withoutDocumentation = (): Plugin => ({
  name: 'without-documentation',
  apply: 'build',
  transform(code, id) {
    if (!CONTRACT.test(id)) return null;
    const texts = [...textsIn(this.parse(code))];
    const shorter = texts.reduceRight((text, { start, end }) => `${text.slice(0, start)}''${text.slice(end)}`, code);
    return { code: shorter, map: null };
  },
});

/** Where the texts stand, in order. */
function* textsIn(syntax: unknown): Generator<{ start: number; end: number }> {
  if (typeof syntax !== 'object' || syntax === null) return;
  const { type, key, value } = syntax as { type?: string; key?: Syntax; value?: Syntax };
  const isText = type === 'Property' && TEXTS.includes(String(key?.['name']));
  if (isText && (value?.type === 'Literal' || value?.type === 'TemplateLiteral')) {
    yield { start: value.start ?? 0, end: value.end ?? 0 };
    return;
  }
  for (const part of Object.values(syntax)) yield* textsIn(part);
}
