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
  // A start spends a third of its time on reading the 500 small files of its dependencies, so they are taken in. Two stay in
  // node_modules: better-sqlite3 carries a binary, and pino starts workers from files of its own.
  noExternal: [/^(?!better-sqlite3|pino).*/],
  esbuildOptions(options) {
    options.conditions = ['source'];
  },
});
