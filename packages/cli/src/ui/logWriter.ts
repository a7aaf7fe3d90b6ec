import { type Level, levelOf, parseLine, printable, type StreamState, type StreamStateDetails } from '@sallyport/sdk';
import type { Context } from '../context.ts';
import { type Io, jsonText, type Tone } from '../io.ts';

/** As in the panel of the console. */
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

/** Tells on standard error when a stream breaks off, and when it is there again. */
export function streamNews({ say }: Pick<Io, 'say'>): (state: StreamState, details: StreamStateDetails) => void {
  let isLost = false;
  return (state, { resumed }) => {
    if (state === 'open') {
      if (isLost) say(resumed ? 'Connected again.' : 'Connected again; the last lines may repeat.');
      isLost = false;
    }
    if (state === 'waiting') {
      if (!isLost) say('The connection broke off; connecting again every second.');
      isLost = true;
    }
  };
}
