import { defineConfig } from 'tsup';

export default defineConfig({
  // What is started as a process of its own is looked for next to the rest.
  entry: { main: 'src/main.ts', ingestProcess: 'src/logs/ingestProcess.ts', testing: 'src/testing.ts' },
  format: 'esm',
  target: 'node24',
  platform: 'node',
  // node:sqlite has no name without the prefix.
  removeNodeProtocol: false,
  splitting: true,
  sourcemap: true,
  clean: true,
  // The SDK is taken in from its source; every other dependency stays in node_modules, because better-sqlite3
  // carries a binary and pino starts workers from files of its own.
  noExternal: [/^@sallyport\//],
  esbuildOptions(options) {
    options.conditions = ['source'];
  },
});
