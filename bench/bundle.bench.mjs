import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

const WEB = join(import.meta.dirname, '..', 'packages', 'web');
/** The JavaScript, compressed, that a comparable console (Vue, the same screens) loads, all in one chunk. */
const COMPARABLE_KB = 175.5;
const LOGIN_MARK_KB = 135;
const NODES_MARK_KB = 175;
const FURTHER_MARK_KB = 60;
/** The style sheets, compressed, of the same console. */
const COMPARABLE_CSS_KB = 14.8;
const CSS_MARK_KB = 15;

/**
 * How much compressed JavaScript the browser loads until the login screen shows, until the nodes list shows its rows,
 * and for the heaviest of everything that is loaded later: a screen, a dialog or a popup; and how much CSS for all.
 */
export default async function measure() {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-bundle-'));
  try {
    // The console as it is released, with a list of which file needs which next to it.
    await build({ root: WEB, logLevel: 'error', build: { outDir: folder, emptyOutDir: true, manifest: true } });
    const { parts, sources, styles, filesOf, sizeOf } = readBundle(folder);
    const chunks = (wanted) => parts.filter((part) => wanted.some((name) => part.includes(name)));
    const login = filesOf(['', ...chunks(['_start-'])]);
    const nodes = filesOf(['', ...chunks(['_start-', '_shell-', '/features/nodes/NodesPage.tsx'])]);
    // What is there before: the page itself, and the list that most others are opened from.
    const before = new Set([...login, ...nodes]);
    const further = sources.map((source) => sizeOf(filesOf([source]).filter((file) => !before.has(file))));
    const figure = (name, value, mark, against = COMPARABLE_KB) => ({
      name,
      value,
      unit: 'kB',
      against,
      ratio: value / against,
      mark,
      met: value <= mark,
    });
    return [
      figure('console: JavaScript until the login screen, gzip', sizeOf(login), LOGIN_MARK_KB),
      figure('console: JavaScript until the nodes list, gzip', sizeOf(nodes), NODES_MARK_KB),
      figure(
        'console: JavaScript of the heaviest further screen or dialog, gzip',
        Math.max(...further),
        FURTHER_MARK_KB,
      ),
      figure('console: CSS of all screens, gzip', sizeOf(styles), CSS_MARK_KB, COMPARABLE_CSS_KB),
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The files of a build: which there are to be loaded later, what one needs with it, and how much that is. */
function readBundle(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, '.vite', 'manifest.json'), 'utf8'));
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  const scripts = [...page.matchAll(/<script[^>]* src="\/([^"]+)"/g)].map(([, file = '']) => file);
  const entries = Object.keys(manifest).filter((source) => manifest[source].isEntry);
  return {
    // Whatever has a file of its own.
    parts: Object.keys(manifest),
    styles: [...new Set(Object.values(manifest).flatMap(({ css = [] }) => css))],
    sources: Object.keys(manifest).filter((source) => manifest[source].isDynamicEntry),
    /** The scripts that come with some sources, `''` being the page itself. */
    filesOf(sources) {
      const files = new Set(sources.includes('') ? scripts : []);
      const seen = new Set();
      const visit = (source) => {
        if (seen.has(source)) return;
        seen.add(source);
        files.add(manifest[source].file);
        (manifest[source].imports ?? []).forEach(visit);
      };
      sources.flatMap((source) => (source === '' ? entries : [source])).forEach(visit);
      return [...files].filter((file) => file.endsWith('.js'));
    },
    sizeOf(files) {
      const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(join(folder, file))).length, 0);
      return Math.round(bytes / 100) / 10;
    },
  };
}
