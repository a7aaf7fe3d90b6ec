import { isPlain } from './plainText.ts';

/**
 * Takes the place of `Intl.Segmenter` in the built command. The real one loads the rules of Unicode, which takes longer than to draw a
 * screen; here that is left until a text needs them.
 */
export class PlainSegmenter {
  readonly #options: ConstructorParameters<typeof Intl.Segmenter>;
  #real: Intl.Segmenter | undefined;

  constructor(...options: ConstructorParameters<typeof Intl.Segmenter>) {
    this.#options = options;
  }

  /** The characters of `input` as people see them. */
  segment(input: string): Pick<Intl.Segments, 'containing' | typeof Symbol.iterator> {
    const granularity = this.#options[1]?.granularity ?? 'grapheme';
    if (granularity === 'grapheme' && isPlain(input)) return plainSegments(input);
    this.#real ??= new Intl.Segmenter(...this.#options);
    return this.#real.segment(input);
  }
}

function plainSegments(input: string): ReturnType<PlainSegmenter['segment']> {
  const at = (index: number): Intl.SegmentData => ({ segment: input[index] ?? '', index, input });
  return {
    containing: (index = 0) => (index >= 0 && index < input.length ? at(Math.trunc(index)) : undefined),
    *[Symbol.iterator]() {
      for (let index = 0; index < input.length; index += 1) yield at(index);
    },
  } as ReturnType<PlainSegmenter['segment']>;
}
