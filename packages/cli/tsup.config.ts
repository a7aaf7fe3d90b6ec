import { defineConfig } from 'tsup';

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
  },
  esbuildPlugins: [
    {
      // Ink reaches for React's developer tools when DEV is set; nobody who runs the command has them.
      name: 'without-devtools',
      setup(build) {
        build.onResolve({ filter: /^react-devtools-core$/ }, (found) => ({
          path: found.path,
          namespace: 'without-devtools',
        }));
        build.onLoad({ filter: /.*/, namespace: 'without-devtools' }, () => ({
          contents: 'export default { initialize() {}, connectToDevTools() {} };',
        }));
      },
    },
  ],
});
