import { dirname, join } from 'node:path';
import { type Options, defineConfig } from 'tsup';

/** Ink names React's developer tools and asks for them when DEV is set; no one who runs the command has them. */
const withoutDevtools: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'without devtools',
  setup(build) {
    build.onResolve({ filter: /^react-devtools-core$/ }, ({ path }) => ({ path, namespace: 'none' }));
    build.onLoad({ filter: /.*/, namespace: 'none' }, () => ({
      contents: 'export default { initialize() {}, connectToDevTools() {} };',
    }));
  },
};

/** For Node, ofetch brings a `fetch` of its own (112 kB), which it uses only where there is none. */
const withOwnFetch: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'with the fetch of Node',
  setup(build) {
    build.onResolve({ filter: /^ofetch$/ }, async ({ resolveDir, kind }) => {
      const { path } = await build.resolve('ofetch/package.json', { resolveDir, kind });
      return { path: join(dirname(path), 'dist', 'index.mjs') };
    });
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
  esbuildPlugins: [withoutDevtools, withOwnFetch],
});
