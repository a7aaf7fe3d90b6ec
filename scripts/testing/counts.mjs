import { existsSync, readFileSync } from 'node:fs';

/**
 * How many tests passed, failed and were skipped, from the JSON report of Vitest or Playwright; undefined without one.
 * A Playwright test that passed only when repeated counts as failed.
 */
export function readCounts(path) {
  if (!existsSync(path)) return undefined;
  const report = JSON.parse(readFileSync(path, 'utf8'));
  if (report.stats) {
    const { expected, unexpected, flaky, skipped } = report.stats;
    return { passed: expected, failed: unexpected + flaky, skipped };
  }
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}
