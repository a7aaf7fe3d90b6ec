import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

/** Fonts are compressed already. */
const TEXT = /\.(?:js|css|html|svg)$/;
/** Smaller files are sent in one packet either way. */
const SMALLEST_BYTES = 1024;

const COMPRESSIONS = {
  br: (bytes: Buffer) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  gz: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
};

/** Lays next to each file of the build what the gateway sends of it to a browser that can read it compressed. */
export function compressFiles(): Plugin {
  return {
    name: 'sallyport-compress-files',
    apply: 'build',
    enforce: 'post',
    async writeBundle({ dir = '' }, bundle) {
      const names = Object.keys(bundle).filter((name) => TEXT.test(name));
      await Promise.all(
        names.map(async (name) => {
          const bytes = await readFile(join(dir, name));
          if (bytes.length < SMALLEST_BYTES) return;
          await Promise.all(
            Object.entries(COMPRESSIONS).map(async ([ending, compress]) =>
              writeFile(join(dir, `${name}.${ending}`), await compress(bytes)),
            ),
          );
        }),
      );
    },
  };
}
