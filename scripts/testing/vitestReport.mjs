import { failureOf, writeReport } from './summary.mjs';

/** A reporter of Vitest: says why tests were skipped, each reason once, and reports to `npm test`. */
export default class VitestReport {
  onTestRunEnd(modules, unhandled) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    sayWhySkipped(tests);
    const inState = (state) => tests.filter((test) => test.result().state === state);
    writeReport({
      passed: inState('passed').length,
      failed: inState('failed').length,
      skipped: inState('skipped').length,
      failures: [
        ...inState('failed').map((test) => failureOf(placeOf(test.module, test), test.result().errors)),
        // A file that cannot be loaded, a hook of a suite.
        ...modules.flatMap((module) =>
          [module, ...module.children.allSuites()]
            .filter((suite) => suite.errors().length > 0)
            .map((suite) => failureOf(placeOf(module, suite), suite.errors())),
        ),
        // Any of these makes the run fail, although each test passed.
        ...unhandled.map((error) => failureOf('outside of any test', [error])),
      ],
    });
  }
}

const placeOf = (module, { fullName }) =>
  [module.relativeModuleId, ...(fullName === undefined ? [] : [fullName])].join(' > ');

function sayWhySkipped(tests) {
  const counts = new Map();
  for (const test of tests) {
    const { state, note } = test.result();
    if (state === 'skipped' && note !== undefined) counts.set(note, (counts.get(note) ?? 0) + 1);
  }
  for (const [note, count] of counts) process.stdout.write(`skipped ${count}: ${note}\n`);
}
