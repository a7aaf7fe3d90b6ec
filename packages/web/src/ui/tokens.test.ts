import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const css = readFileSync(join(import.meta.dirname, 'tokens.css'), 'utf8');

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
