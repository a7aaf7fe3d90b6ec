import { createReadStream, openSync, closeSync, fstatSync, readSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Context } from 'hono';
import { JOIN_PATH, joinScript, type JoinPlace } from './joinScript.ts';

const PACKAGE = /^sallyport_([\w.+~-]+)_(amd64|arm64)\.deb$/;
const WANTED = /^\/join\/sallyport_(amd64|arm64)\.(deb|tar)$/;
const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/**
 * The script by which hosts join, and the command's packages. None of it is secret; anyone may fetch it.
 * @param directory of the packages; null: there are none
 * @param place asked when the script is
 */
export function createJoinFiles(
  directory: string | null,
  place: () => Promise<JoinPlace>,
): (c: Context) => Promise<Response | null> {
  const packages = directory === null ? new Map<string, Package>() : packagesIn(directory);
  return async (c) => {
    if (c.req.method !== 'GET') return null;
    if (c.req.path === JOIN_PATH) {
      return new Response(joinScript(await place(), packages), {
        headers: { ...HEADERS, 'content-type': 'text/plain; charset=utf-8' },
      });
    }
    const [, architecture = '', ending] = WANTED.exec(c.req.path) ?? [];
    const file = packages.get(architecture)?.file;
    if (file === undefined) return null;
    const part = ending === 'deb' ? wholeOf(file) : dataIn(file);
    const body = Readable.toWeb(createReadStream(file, part)) as ReadableStream;
    const length = String(part.end - part.start + 1);
    return new Response(body, {
      headers: { ...HEADERS, 'content-type': 'application/octet-stream', 'content-length': length },
    });
  };
}

type Package = { file: string; version: string; bytes: number };

function packagesIn(directory: string): Map<string, Package> {
  try {
    const names = readdirSync(directory).flatMap((name) => {
      const [, version, architecture] = PACKAGE.exec(name) ?? [];
      if (version === undefined || architecture === undefined) return [];
      const file = join(directory, name);
      return [[architecture, { file, version, bytes: sizeOf(file) }] as const];
    });
    return new Map(names);
  } catch {
    return new Map();
  }
}

/** The first and the last byte of something in a file. */
type Part = { start: number; end: number };

function wholeOf(file: string): Part {
  return { start: 0, end: sizeOf(file) - 1 };
}

function sizeOf(file: string): number {
  const descriptor = openSync(file, 'r');
  try {
    return fstatSync(descriptor).size;
  } finally {
    closeSync(descriptor);
  }
}

const MAGIC_BYTES = 8;
const HEADER_BYTES = 60;

/** Where in a Debian package the archive of its files is, compressed as it is: a package is an `ar` archive of three (`man 5 deb`). */
function dataIn(file: string): Part {
  const descriptor = openSync(file, 'r');
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    for (let at = MAGIC_BYTES; readSync(descriptor, header, 0, HEADER_BYTES, at) === HEADER_BYTES;) {
      const [name, size] = [header.toString('latin1', 0, 16).trim(), Number(header.toString('latin1', 48, 58))];
      const start = at + HEADER_BYTES;
      if (/^data\.tar\.(?:gz|xz)$/.test(name)) return { start, end: start + size - 1 };
      // Each begins at an even byte.
      at = start + size + (size % 2);
    }
    throw new Error(`${file} has no data.tar.xz`);
  } finally {
    closeSync(descriptor);
  }
}
