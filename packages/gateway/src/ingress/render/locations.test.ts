import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pathPattern, patternChars } from './locations.ts';

const path = fc
  .array(fc.constantFrom('a', 'b', '.', '-', '~', '/', 'x'), { minLength: 1, maxLength: 12 })
  .map((letters) => `/${letters.join('')}`);
/** As nginx reads it: a backslash stands twice between quotes. */
const regExp = (paths: string[]): RegExp => new RegExp(`^${pathPattern(paths).replaceAll('\\\\', '\\')}$`);

describe('the pattern of paths', () => {
  it('says once what several of them begin with', () => {
    expect(pathPattern(['/app', '/apple', '/api', '/z'])).toBe('/(?:ap(?:p(?:le)?|i)|z)');
  });

  it('fits exactly them, whatever they are, and is no longer than was said before', () => {
    fc.assert(
      fc.property(fc.uniqueArray(path, { minLength: 1, maxLength: 40 }), fc.array(path), (paths, others) => {
        const fits = regExp(paths);
        for (const each of [...paths, ...others]) expect(fits.test(each)).toBe(paths.includes(each));
        const most = paths.reduce((sum, each) => sum + patternChars(each), 0);
        expect(pathPattern(paths).length).toBeLessThanOrEqual(most);
      }),
    );
  });
});
