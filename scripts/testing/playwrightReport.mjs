import { failureOf, writeReport } from './summary.mjs';

/** A reporter of Playwright, to `npm test`. A journey that passed only when repeated counts as failed. */
export default class PlaywrightReport {
  #suite;
  #errors = [];

  onBegin(_config, suite) {
    this.#suite = suite;
  }

  onError(error) {
    this.#errors.push(error);
  }

  onEnd() {
    const tests = this.#suite?.allTests() ?? [];
    const withOutcome = (...outcomes) => tests.filter((test) => outcomes.includes(test.outcome()));
    const failed = withOutcome('unexpected', 'flaky');
    writeReport({
      passed: withOutcome('expected').length,
      failed: failed.length,
      skipped: withOutcome('skipped').length,
      failures: [
        ...failed.map((test) => {
          const errors = test.results.flatMap((result) => result.errors);
          return failureOf(test.titlePath().filter(Boolean).join(' > '), errors);
        }),
        ...this.#errors.map((error) => failureOf('outside of any journey', [error])),
      ],
    });
  }

  printsToStdio() {
    return false;
  }
}
