import { defaultClientConditions, defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const SYSTEM_TESTS = '**/*.system.test.{ts,mjs}';
const FAULTS = 'e2e/faults/*.faults.test.ts';

const LOADED_AGAIN = 'packages/web/src/state/consoleUpdate.test.ts';

/** An event is awaited for so long in any test: a busy machine brings it late, and only one that never comes is a fault. */
const EVENT_MAX_MS = 20_000;
/** Several such waits fit into a test. What hangs is found all the same. */
const patient = {
  expect: { poll: { timeout: EVENT_MAX_MS } },
  testTimeout: 90_000,
  hookTimeout: 90_000,
  // What people read is in the time zone of their machine.
  env: { TZ: 'UTC' },
};
const PATIENCE = 'scripts/testing/patience.mjs';

/** Tests of processes wait two thirds of their time, so three times as many files as a small machine has processors run at a time. */
const ofProcesses = {
  environment: 'node' as const,
  setupFiles: [PATIENCE],
  ...patient,
  exclude: ['**/node_modules/**', '**/dist/**'],
  // Files share a worker and what they import, which would take a sixth of the time.
  isolate: false,
  maxWorkers: process.env['SALLYPORT_FAULTS'] === 'full' ? 1 : 6,
  sequence: { groupOrder: 1 },
};

/** Packages read each other's source, so a test never runs against a stale build. */
const fromSource = {
  resolve: { conditions: ['source', ...defaultClientConditions] },
  ssr: { resolve: { conditions: ['source', ...defaultServerConditions] } },
};

/** Where it knows no times, Vitest begins with the largest files; some of these would come last, and be waited for alone. */
const LONG =
  /\/(?:architectureRecipe|damagedRows|tunnel\/moves|lostKey|keptBySystemd|keptByService|joinByCli|certbot|renewal|operateByCli|main|package|images)\.system\.test\.m?[tj]s$/;
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await Reflect.apply(super.sort, this, [files]);
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    reporters: ['default', './scripts/testing/vitestReport.mjs'],
    // Tests wait more than they compute: a core left free is a core left idle.
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        ...fromSource,
        test: {
          name: 'unit',
          environment: 'node',
          setupFiles: [PATIENCE],
          ...patient,
          // Files share a worker and so what they import: half the time. No test may leave anything behind.
          isolate: false,
          include: ['packages/{sdk,cli,gateway}/src/**/*.test.{ts,tsx}', 'scripts/**/*.test.mjs'],
          exclude: [SYSTEM_TESTS],
        },
      },
      {
        ...fromSource,
        test: {
          name: 'web',
          environment: 'happy-dom',
          ...patient,
          isolate: false,
          setupFiles: [PATIENCE, 'packages/web/src/testing/setup.ts'],
          include: ['packages/web/{src,docs}/**/*.test.{ts,tsx}'],
          exclude: [LOADED_AGAIN],
        },
      },
      {
        ...fromSource,
        test: {
          // It loads modules of the console again, which the files after it would meet.
          name: 'web-loading',
          environment: 'happy-dom',
          ...patient,
          setupFiles: [PATIENCE, 'packages/web/src/testing/setup.ts'],
          include: [LOADED_AGAIN],
        },
      },
      {
        ...fromSource,
        test: {
          // Real nginx, real processes; each worker has ports of its own (testing/freePorts), and each file networks of its own.
          name: 'system',
          ...ofProcesses,
          include: [SYSTEM_TESTS],
        },
      },
      {
        ...fromSource,
        // What happens while something breaks. What is lost is the same on a busy machine; figures are for `npm run faults`.
        test: { name: 'faults', ...ofProcesses, include: [FAULTS] },
      },
    ],
  },
});
