import type { Level } from '@sallyport/sdk';
import { levelOf, parseLine, printable } from '@sallyport/sdk';
import type { Context } from '../context.ts';
import type { Tone } from '../io.ts';
import { jsonText } from './json.ts';

/** As in the console (specification: log screens). */
const TONES: Record<Level, Tone> = { ERROR: 'red', WARN: 'yellow', INFO: 'blue', DEBUG: 'green' };

/** How one line is written: as JSON, in the colour of its level, or as it is. What a terminal could obey is escaped. */
export function logWriter({ globals, io }: Pick<Context, 'globals' | 'io'>): (line: string) => string {
  if (globals.json) return (line) => jsonText({ line, level: levelOf(line), request: parseLine(line) });
  if (!io.hasColour) return (line) => `${printable(line)}\n`;
  return (line) => {
    const level = levelOf(line);
    return `${level ? io.paint(TONES[level], printable(line)) : printable(line)}\n`;
  };
}
