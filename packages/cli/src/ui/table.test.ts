import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { type Column, screenLines, tabLines, tableLines } from './table.ts';

type Row = { name: string; bytes: number };
const columns: readonly Column<Row>[] = [
  { heading: 'NAME', text: ({ name }) => name, mayShrink: true, tone: () => 'green' },
  { heading: 'BYTES', text: ({ bytes }) => `${bytes} B`, exact: ({ bytes }) => String(bytes), alignRight: true },
];
const plain = (_tone: string, text: string) => text;

describe('a table', () => {
  it('lines its columns up, by what characters take on a screen', () => {
    const lines = tableLines(
      columns,
      [
        { name: 'web', bytes: 7 },
        { name: '日本語', bytes: 1024 },
      ],
      80,
      plain,
    );
    expect(lines).toEqual(['NAME     BYTES', 'web        7 B', '日本語  1024 B']);
  });

  it('cuts what may be cut when the terminal is narrow', () => {
    const lines = tableLines(columns, [{ name: 'a-very-long-name-日本語', bytes: 7 }], 20, plain);
    expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(20);
    expect(lines[1]).toBe('a-very-long-…    7 B');
  });

  it('leaves out on a screen what finds no room there, in the order that the columns say', () => {
    const wide: readonly Column<Row>[] = [
      { heading: 'SENT', text: () => '12 KB', leaves: 2 },
      ...columns,
      { heading: 'ENDS', text: () => 'tomorrow', leaves: 1 },
    ];
    const headingsAt = (width: number) => screenLines(wide, [{ name: 'web', bytes: 7 }], width, plain)[0]?.split(/ +/);
    expect(headingsAt(80)).toEqual(['SENT', 'NAME', 'BYTES', 'ENDS']);
    expect(headingsAt(22)).toEqual(['SENT', 'NAME', 'BYTES']);
    expect(headingsAt(12)).toEqual(['NAME', 'BYTES']);
    expect(headingsAt(5)).toEqual(['NAME', 'BYTES']);
  });

  it('gives programs exact values between tabs, and no headings', () => {
    expect(tabLines(columns, [{ name: 'web', bytes: 7 }])).toEqual(['web\t7']);
  });

  it('shows what could steer a terminal or break a line', () => {
    const rows = [{ name: 'a\x1b]0;owned\x07\tb\nc\u202e', bytes: 1 }];
    expect(tabLines(columns, rows)).toEqual(['a\\x1b]0;owned\\x07\\tb\\x0ac\\u202e\t1']);
    expect(tableLines(columns, rows, 80, plain)[1]).not.toMatch(/[\p{Cc}\u202e]/u);
  });
});
