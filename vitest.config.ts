import { defaultClientConditions, defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';

const SYSTEM_TESTS = '**/*.system.test.{ts,mjs}';
const FAULTS = 'e2e/faults/*.faults.test.ts';

/** Packages read each other's source, so a test never runs against a stale build. */
const fromSource = {
  resolve: { conditions: ['source', ...defaultClientConditions] },
  ssr: { resolve: { conditions: ['source', ...defaultServerConditions] } },
};

export default defineConfig({
  test: {
    // Tests wait more than they compute: a core left free is a core left idle.
    maxWorkers: '100%',
    projects: [
      {
        ...fromSource,
        test: {
          name: 'unit',
          environment: 'node',
          // Files share a worker and so what they import: half the time. No test may leave anything behind.
          isolate: false,
          // Properties are tried with hundreds of values, which takes a busy machine long.
          testTimeout: 30_000,
          include: ['packages/{sdk,cli,gateway}/src/**/*.test.{ts,tsx}', 'scripts/**/*.test.mjs'],
          exclude: [SYSTEM_TESTS],
        },
      },
      {
        ...fromSource,
        test: {
          name: 'web',
          environment: 'happy-dom',
          isolate: false,
          setupFiles: ['packages/web/src/testing/setup.ts'],
          // A gesture waits 10 s for what is loaded when it is wanted; a test of several has to outlast that on a busy machine.
          testTimeout: 40_000,
          include: ['packages/web/{src,docs}/**/*.test.{ts,tsx}'],
        },
      },
      {
        ...fromSource,
        test: {
          // Real nginx, real processes, real ports: one file at a time, with time to start them.
          name: 'system',
          environment: 'node',
          include: [SYSTEM_TESTS],
          exclude: ['**/node_modules/**', '**/dist/**'],
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        ...fromSource,
        test: {
          // What happens while something breaks; the figures are only worth anything while nothing else runs.
          name: 'faults',
          environment: 'node',
          include: [FAULTS],
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
