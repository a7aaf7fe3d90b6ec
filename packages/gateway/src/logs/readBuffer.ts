import { readSync } from 'node:fs';

/** A buffer into which files are read, one piece after the other; what was read is good until the next time. */
export type ReadBuffer = {
  /** Reads so many bytes, or as many as fit, or are there. */
  read(descriptor: number, offset: number, bytes: number): Buffer;
  /** Gives its memory back. */
  release(): void;
};

const UNIT_BYTES = 64 * 1024;

/** @param mostBytes how much is read at once */
export function createReadBuffer(mostBytes: number): ReadBuffer {
  let buffer: Buffer = Buffer.alloc(0);
  return {
    read(descriptor, offset, bytes) {
      const wanted = Math.min(bytes, mostBytes);
      if (buffer.length < wanted) buffer = Buffer.allocUnsafeSlow(Math.ceil(wanted / UNIT_BYTES) * UNIT_BYTES);
      return buffer.subarray(0, readSync(descriptor, buffer, 0, wanted, offset));
    },
    release() {
      buffer = Buffer.alloc(0);
    },
  };
}
