import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { PlainSegmenter } from './PlainSegmenter.ts';
import { isPlain, plainColumns } from './plainText.ts';

const EVERY = Array.from({ length: 0x2600 }, (_, point) => String.fromCharCode(point));
const plain = EVERY.filter(isPlain);
const segmentsOf = (text: string, segmenter: Pick<PlainSegmenter, 'segment'>) => [...segmenter.segment(text)];

describe('plain text', () => {
  it('is measured as the tables of Unicode measure it', () => {
    expect(plain.length).toBeGreaterThan(700);
    const shown = plain.filter((character) => character >= ' ');
    for (const character of shown)
      expect([character, plainColumns(character)]).toEqual([character, stringWidth(character)]);
    // Nothing joins with a neighbour.
    for (const around of ['a', 'é', '…', '│']) {
      for (const character of shown) {
        const text = `${around}${character}${around}`;
        expect([text, plainColumns(text)]).toEqual([text, stringWidth(text)]);
      }
    }
  });

  it('may be coloured', () => {
    const text = '\x1b[1mNAME\x1b[22m  \x1b[38;5;7m…\x1b[39m';
    expect(plainColumns(text)).toBe(stringWidth(text));
  });

  it.each([
    ['wide characters', '日本語'],
    ['emoji', '🙂'],
    ['a mark', 'e\u0301'],
    ['a joiner', 'a\u200db'],
    ['what cannot be seen', 'a\u00adb'],
    ['a tab', 'a\tb'],
    ['an end of line', 'a\nb'],
    ['another sequence than a colour', '\x1b[2Ka'],
  ])('is not: %s', (_, text) => {
    expect(plainColumns(text)).toBeNull();
  });
});

describe('the segments', () => {
  const real = new Intl.Segmenter();

  it.each([plain.join(''), `\x1b[1mNAME\x1b[22m\nweb…`, '', '日本語 🙂 e\u0301', 'a\r\nb'])(
    'are the real ones: %j',
    (text) => {
      expect(segmentsOf(text, new PlainSegmenter())).toEqual(segmentsOf(text, real));
      for (const index of [-1, 0, 1, text.length - 1, text.length]) {
        expect(new PlainSegmenter().segment(text).containing(index)).toEqual(real.segment(text).containing(index));
      }
    },
  );

  it('are words where words are asked for', () => {
    const words = (segmenter: Pick<PlainSegmenter, 'segment'>) => segmentsOf('two words', segmenter);
    expect(words(new PlainSegmenter('en', { granularity: 'word' }))).toEqual(
      words(new Intl.Segmenter('en', { granularity: 'word' })),
    );
  });
});
