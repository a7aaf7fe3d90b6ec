import { isAscii } from 'node:buffer';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { RawLine } from './rawLines.ts';

/** What is smaller is stored as it is: to begin a compression costs more than the lines. */
const COMPRESSED_FROM_BYTES = 4096;
const OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** With this, nginx's lines begin; compressed ones never do. */
const LINE_BEGIN = 0x7b;

/** The lines of a block as they are stored: lines are much alike, and to compress them is cheaper than to write them. */
export function packLines(lines: readonly RawLine[]): Buffer {
  const plain = Buffer.from(lines.map(({ text }) => text).join('\n'), 'latin1');
  return plain.length < COMPRESSED_FROM_BYTES && plain[0] === LINE_BEGIN ? plain : zstdCompressSync(plain, OPTIONS);
}

/** @throws when it is damaged */
export function unpackLines(content: Buffer): string[] {
  const plain = content[0] === LINE_BEGIN ? content : zstdDecompressSync(content);
  // Bytes that are all ASCII are far cheaper to make a text of.
  return plain.toString(isAscii(plain) ? 'latin1' : 'utf8').split('\n');
}
