import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Options, defineConfig } from 'tsup';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

/** Puts `contents` in the place of packages that a library names and this command never uses. */
const without = (filter: RegExp, contents: string): Plugin => ({
  name: `without ${filter.source}`,
  setup(build) {
    const namespace = `without ${filter.source}`;
    build.onResolve({ filter }, ({ path }) => ({ path, namespace }));
    build.onLoad({ filter: /.*/, namespace }, () => ({ contents }));
  },
});

/**
 * Ink's layout engine fetches its WebAssembly from a data URL, for which Node first loads all of `fetch`: half of what a screen
 * needs to be there. It takes the bytes as well.
 */
const layoutBytes: Plugin = {
  name: 'layout-bytes',
  setup(build) {
    build.onLoad({ filter: /yoga-wasm-base64-esm\.js$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      const [url, base64] = /"data:application\/octet-stream;base64,([^"]+)"/.exec(source) ?? [];
      const options = 'loadYoga = loadYoga || {};';
      if (!url || !source.includes(options)) throw new Error(`${path} is made otherwise now; see why this is here.`);
      const given = `loadYoga = { wasmBinary: Buffer.from("${base64}", "base64"), ...loadYoga };`;
      return { contents: source.replace(url, '""').replace(options, given) };
    });
  },
};

/**
 * Where characters begin and end, and how wide they are, stands in tables of Unicode that take longer to load than a screen takes to be
 * drawn. Most texts are plain: what Ink is made of meets the tables only when one is not.
 */
const plainTextFirst: Plugin = {
  name: 'plain-text-first',
  setup(build) {
    const namespace = 'plain-text-first';
    const widths = JSON.stringify(createRequire(import.meta.url).resolve('string-width'));
    build.onResolve({ filter: /^string-width$/ }, ({ path }) => ({ path, namespace }));
    build.onLoad({ filter: /.*/, namespace }, () => ({
      resolveDir: import.meta.dirname,
      contents: `
        import { plainColumns } from './src/ui/plainText.ts';
        export default (text, options) => (options && text.includes("\\x1b") ? null : plainColumns(text)) ?? require(${widths}).default(text, options);
      `,
    }));
    const segmenter = JSON.stringify(join(import.meta.dirname, 'src/ui/PlainSegmenter.ts'));
    build.onLoad(
      { filter: /node_modules\/(?:ink|wrap-ansi|slice-ansi|@alcalzone\/ansi-tokenize)\/.*\.js$/ },
      ({ path }) => {
        const source = readFileSync(path, 'utf8');
        if (!source.includes('new Intl.Segmenter(')) return undefined;
        const contents = source.replaceAll('new Intl.Segmenter(', 'new PlainSegmenter(');
        return { contents: `import { PlainSegmenter } from ${segmenter};\n${contents}` };
      },
    );
  },
};

export default defineConfig({
  entry: { main: 'src/main.ts' },
  format: 'esm',
  target: 'node22',
  platform: 'node',
  removeNodeProtocol: false,
  // One small file starts at once; what a command does not need stays in chunks behind import().
  splitting: true,
  sourcemap: true,
  clean: true,
  noExternal: [/.*/],
  env: { NODE_ENV: 'production' },
  // Some bundled dependencies are CommonJS and ask for Node's own modules by require().
  banner: {
    js: "import { createRequire as createRequireOfBundle } from 'node:module'; const require = createRequireOfBundle(import.meta.url);",
  },
  esbuildOptions(options) {
    options.conditions = ['source'];
    // A short command spends its time on reading itself.
    options.minify = true;
  },
  esbuildPlugins: [
    layoutBytes,
    plainTextFirst,
    // Ink reaches for React's developer tools when DEV is set; nobody who runs the command has them.
    without(/^react-devtools-core$/, 'export default { initialize() {}, connectToDevTools() {} };'),
    // Conf validates by a schema of its own where it is given one; zod is what validates here.
    without(/^ajv(?:-formats|\/dist\/2020\.js)$/, 'export default {}; export class Ajv2020 {}'),
    // It compares versions where it is given migrations; none are.
    without(/^semver$/, 'export default {};'),
  ],
});
