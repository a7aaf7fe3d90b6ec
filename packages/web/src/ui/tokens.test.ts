import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');
const css = read('tokens.css');

/** The hues of a colour, light and dark, in degrees; of the colour that it stands for where it names another one. */
function huesOf(name: string): number[] {
  const value = new RegExp(`--color-${name}: ([^;]+);`).exec(css)?.[1] ?? '';
  const [, other] = /^var\(--color-(.+)\)$/.exec(value) ?? [];
  return other === undefined
    ? [...value.matchAll(/oklch\([\d.]+ [\d.]+ ([\d.]+)\)/g)].map(([, hue]) => Number(hue))
    : huesOf(other);
}

const RED = [15, 35];
const ORANGE = [50, 70];
const YELLOW = [70, 105];
const GREEN = [140, 165];
const BLUE = [235, 260];

it.each([
  ['mark-online', 'green', GREEN],
  ['mark-idle', 'orange', ORANGE],
  ['mark-offline', 'red', RED],
  ['log-error', 'red', RED],
  ['log-warn', 'yellow', YELLOW],
  ['log-info', 'blue', BLUE],
  ['log-debug', 'green', GREEN],
])('%s is %s in both themes', (name, _, [from = 0, to = 0]) => {
  const hues = huesOf(name);
  expect(hues).toHaveLength(2);
  expect(hues.filter((hue) => hue < from || hue > to)).toEqual([]);
});

/** What goes on while something is waited for or alive, and the mark of a new row, are no answer to a press. */
const LASTING = ['spin', 'pulse', 'shimmer', 'mark'];

it('moves nothing for longer than 150 ms, and for 100 to 120 ms unless told', () => {
  const durations = [...css.matchAll(/--animate-([a-z]+): [a-z]+ ([\d.]+)s/g)]
    .filter(([, name = '']) => !LASTING.includes(name))
    .map(([, name, seconds]) => [name, Number(seconds) * 1000]);
  expect(durations).toEqual([
    ['rise', 120],
    ['fade', 120],
  ]);
  expect(/--default-transition-duration: (\d+)ms/.exec(css)?.[1]).toBe('100');
});

it('says durations of its own nowhere above that', () => {
  const folder = join(import.meta.dirname, '..');
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:tsx|css)$/.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
  const own = [...sources.matchAll(/\bduration-\[?(\d+)/g)].map(([, ms]) => Number(ms));
  expect(own).not.toEqual([]);
  expect(own.filter((ms) => ms > 150)).toEqual([]);
});

it('stands still for anyone who asked for reduced motion, whatever moves', () => {
  const [, still = ''] = /@media \(prefers-reduced-motion: reduce\) \{([\s\S]*?)\n {2}\}/.exec(read('base.css')) ?? [];
  const [, all = ''] = /\*,\s*::before,\s*::after \{([^}]*)\}/.exec(still) ?? [];
  expect(all.split(';').map((rule) => rule.trim())).toEqual(
    expect.arrayContaining([
      'animation-duration: 0.01ms !important',
      'animation-iteration-count: 1 !important',
      'transition-duration: 0.01ms !important',
      'scroll-behavior: auto !important',
    ]),
  );
});
