import { fstatSync, readSync } from 'node:fs';

const LINE_BREAK = 0x0a;
const READ_BYTES = 64 * 1024;

/** How far each of nginx's files has been kept in a log: the number of the file, and the offset behind the last line. */
export type KeptEnds = ReadonlyMap<number, number>;

/** With this begins a line that is no line of nginx, which are objects in JSON. */
export const COMMIT_MARK = 0x23;

/** The line behind what was written at once: `#SERIAL-END,SERIAL-END`. What has none behind it was not written. */
export const commitLine = (ends: KeptEnds): Buffer =>
  Buffer.from(`#${[...ends].map(([serial, end]) => `${serial.toString(36)}-${end.toString(36)}`).join(',')}\n`);

/** What the last commit line of a file says, and the offset behind it; null when the file has none. */
export function lastCommit(descriptor: number): { ends: KeptEnds; offset: number } | null {
  const { size } = fstatSync(descriptor);
  // Each piece but the last is read again in front of the next, so that every line is whole in one of them.
  const buffer = Buffer.allocUnsafe(2 * READ_BYTES);
  for (let end = size; end > 0; end -= READ_BYTES) {
    const start = Math.max(0, end - READ_BYTES);
    const bytes = buffer.subarray(0, readSync(descriptor, buffer, 0, Math.min(buffer.length, size - start), start));
    for (
      let at = bytes.lastIndexOf(COMMIT_MARK);
      at >= 0;
      at = at === 0 ? -1 : bytes.lastIndexOf(COMMIT_MARK, at - 1)
    ) {
      const beginsLine = at > 0 ? bytes[at - 1] === LINE_BREAK : start === 0;
      const lineBreak = beginsLine ? bytes.indexOf(LINE_BREAK, at) : -1;
      const ends = lineBreak < 0 ? null : readCommit(bytes.toString('latin1', at, lineBreak));
      if (ends !== null) return { ends, offset: start + lineBreak + 1 };
    }
  }
  return null;
}

function readCommit(line: string): KeptEnds | null {
  if (!/^#[0-9a-z]{1,10}-[0-9a-z]{1,10}(?:,[0-9a-z]{1,10}-[0-9a-z]{1,10})*$/.test(line)) return null;
  const pairs = line.slice(1).split(',');
  return new Map(pairs.map((pair) => pair.split('-').map((text) => Number.parseInt(text, 36)) as [number, number]));
}
