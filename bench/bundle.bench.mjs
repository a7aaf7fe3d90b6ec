import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

const WEB = join(import.meta.dirname, '..', 'packages', 'web');
/** The JavaScript, compressed, that a comparable console (Vue, the same screens) loads until its sign-in shows. */
const COMPARABLE_KB = 175.5;
const MARK_KB = 135;

/** How much compressed JavaScript the browser loads until the login screen shows: the page's scripts and the login's own. */
export default async function measure() {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-bundle-'));
  try {
    // The console as it is released, with a list of which file needs which beside it.
    await build({ root: WEB, logLevel: 'error', build: { outDir: folder, emptyOutDir: true, manifest: true } });
    const bytes = scriptsUntilLogin(folder).reduce((sum, path) => sum + gzipSync(readFileSync(path)).length, 0);
    const value = Math.round(bytes / 100) / 10;
    return [
      {
        name: 'console: JavaScript until the login screen, gzip',
        value,
        unit: 'kB',
        against: COMPARABLE_KB,
        ratio: value / COMPARABLE_KB,
        mark: MARK_KB,
        met: value <= MARK_KB,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Follows the imports from the page and from the login screen's own chunk, where it has one. */
function scriptsUntilLogin(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, '.vite', 'manifest.json'), 'utf8'));
  const files = new Set();
  const visit = (key) => {
    const { file, imports = [] } = manifest[key];
    if (files.has(file)) return;
    files.add(file);
    imports.forEach(visit);
  };
  for (const [source, { isEntry }] of Object.entries(manifest)) {
    if (isEntry || source.includes('/features/session/')) visit(source);
  }
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  for (const [, source] of page.matchAll(/<script[^>]* src="\/([^"]+)"/g)) files.add(source);
  return [...files].filter((file) => file.endsWith('.js')).map((file) => join(folder, file));
}
