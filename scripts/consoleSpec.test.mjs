import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { faultsOf, rowsOf } from './consoleSpec.mjs';

const root = join(import.meta.dirname, '..');
/** @param {string} path */
const read = (path) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : null);
const rows = rowsOf(read('packages/web/SPEC.md') ?? '');

describe("the console's specification", () => {
  it('is carried by files and proved by tests that exist, in its own words', () => {
    const open = rows.filter((row) => row.open !== null);
    const list = open.map((row) => `\n  waits for ${row.open}: ${row.statement}`).join('');
    process.stdout.write(`The specification of the console: ${rows.length} rows, ${open.length} open${list}\n`);
    expect(rows.flatMap((row) => faultsOf(row, read))).toEqual([]);
    expect(rows.length).toBeGreaterThan(200);
  });

  it('says each thing once', () => {
    const statements = rows.map(({ statement }) => statement);
    expect(statements.filter((statement, index) => statements.indexOf(statement) !== index)).toEqual([]);
  });

  it('is built for production and nothing else', () => {
    expect(JSON.parse(read('packages/web/package.json') ?? '').scripts.build).toBe('vite build');
    expect(read('packages/web/vite.config.ts')).not.toMatch(/\bmode\b|NODE_ENV/);
  });
});

describe('the checker', () => {
  const files = {
    'packages/web/src/Page.tsx': "<p>\n  It doesn&apos;t{' '}\n  work\n</p>",
    'packages/web/src/Page.test.tsx': "it('works', () => {});\nit.each([1])('works %i times', () => {});",
  };
  /** @param {string} row */
  const faults = (row) =>
    rowsOf(`| Statement | Carried by | Proved by |\n| --- | --- | --- |\n${row}`).flatMap((one) =>
      faultsOf(one, (path) => files[path] ?? null),
    );

  it.each([
    '| Says "It doesn\'t work" | `Page.tsx` | `Page.test.tsx` "works"; `Page.test.tsx` "works %i times" |',
    '| Says nothing | `Page.tsx` | open: waits for the tunnel |',
  ])('has nothing against %s', (row) => expect(faults(row)).toEqual([]));

  it.each([
    ['| A | `Gone.tsx` | `Page.test.tsx` "works" |', 'A: there is no Gone.tsx'],
    ['| A | `Page.tsx` | `Page.test.tsx` "work" |', 'A: Page.test.tsx has no test "work"'],
    ['| Says "Yes" | `Page.tsx` | `Page.test.tsx` "works" |', 'Says "Yes": nothing says "Yes"'],
    ['| A | `Page.tsx` | |', 'A: no test proves it'],
    ['| A | | `Page.test.tsx` "works" |', 'A: no file carries it'],
    ['| A | `Page.tsx` | open: waits for time |', 'A: it may not wait for time'],
  ])('finds what is wrong with %s', (row, fault) => expect(faults(row)).toEqual([fault]));
});
