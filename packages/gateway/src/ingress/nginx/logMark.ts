import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';

const MOST_BYTES = 1 << 20;

/** Reads what a log got since it was marked. */
export type LogMark = {
  newText(): string;
  /** The same, and begins again from here. */
  takeText(): string;
};

/** Remembers where a log ends now. A log that is replaced or cut afterwards is read from its beginning. */
export function markLog(file: string): LogMark {
  let { inode, size: offset } = measure(file) ?? { inode: 0, size: 0 };
  let text = '';
  const newText = (): string => {
    const now = measure(file);
    if (now === null || (now.inode === inode && now.size === offset)) return text;
    if (now.inode !== inode || now.size < offset) offset = 0;
    inode = now.inode;
    const chunk = readFrom(file, offset);
    offset += chunk.length;
    text = (text + chunk.toString('latin1')).slice(-MOST_BYTES);
    return text;
  };
  return {
    newText,
    takeText: () => {
      const taken = newText();
      text = '';
      return taken;
    },
  };
}

function measure(file: string): { inode: number; size: number } | null {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat === undefined ? null : { inode: stat.ino, size: stat.size };
}

function readFrom(file: string, offset: number): Buffer {
  const descriptor = openSync(file, 'r');
  try {
    const wanted = Math.min(Math.max(fstatSync(descriptor).size - offset, 0), MOST_BYTES);
    const buffer = Buffer.alloc(wanted);
    return buffer.subarray(0, readSync(descriptor, buffer, 0, wanted, offset));
  } finally {
    closeSync(descriptor);
  }
}
