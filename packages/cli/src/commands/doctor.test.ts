import { expect, it } from 'vitest';
import { wrapWords } from './doctor.ts';

it.each([
  ['nothing is one line', '', 10, ['']],
  ['what fits is left alone', 'all is well', 11, ['all is well']],
  ['lines end between words', 'all is well here', 11, ['all is well', 'here']],
  [
    'a long word stands alone',
    'see https://gateway.example.test now',
    8,
    ['see', 'https://gateway.example.test', 'now'],
  ],
  ['wide characters take two columns', '日本 日本', 8, ['日本', '日本']],
])('%s', (_, text, width, lines) => {
  expect(wrapWords(text, width)).toEqual(lines);
});
