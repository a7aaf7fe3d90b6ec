import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const NOTHING = { passed: 0, failed: 0, skipped: 0 };
/** So many failures tell what is wrong; with more the end of the output would be nothing else. */
const FAILURES_MAX = 20;

/** The sum over all steps. A step that failed without a failed test to show counts as one failure. */
export function totalsOf(results) {
  return results.reduce((sum, result) => {
    const { passed, failed, skipped } = result.report ?? NOTHING;
    return {
      passed: sum.passed + passed,
      failed: sum.failed + (result.ok ? failed : Math.max(failed, 1)),
      skipped: sum.skipped + skipped,
    };
  }, NOTHING);
}

/**
 * What failed and why, a table of the steps, those that were not reached too, and, as the last line, the totals:
 * "N passed, N failed", and ", N skipped" if any were. What is most needed stands last, where a record that was cut off has it.
 */
export function summaryOf(results, notRun = []) {
  const rows = results.map(({ name, ok, seconds, report }) => [
    ok ? 'ok' : 'FAILED',
    name,
    `${seconds.toFixed(1)} s`,
    report ? `${report.passed} passed, ${report.failed} failed, ${report.skipped} skipped` : '',
  ]);
  const missed = notRun.map((name) => ['not run', name, '', '']);
  const { passed, failed, skipped } = totalsOf(results);
  const totals = `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`;
  return [...failuresIn(results), ...alignedRows([...rows, ...missed]), '', totals].join('\n');
}

function failuresIn(results) {
  const failures = results.flatMap(({ name, ok, report }) => {
    if (ok) return [];
    const known = report?.failures ?? [];
    return known.length > 0 ? known.map((failure) => `${name}: ${failure}`) : [`${name}: see its output above`];
  });
  const more = failures.length - FAILURES_MAX;
  const shown = [...failures.slice(0, FAILURES_MAX), ...(more > 0 ? [`and ${more} more`] : [])];
  return shown.length === 0 ? [] : ['failed:', ...shown.map((failure) => `  ${failure}`), ''];
}

/** Rows of cells as lines, every column as wide as its widest cell. */
export function alignedRows(rows) {
  const columns = rows[0]?.map((_, column) => column) ?? [];
  const widths = columns.map((column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  );
}

/** The variable that names the file in which a suite leaves its report. */
export const REPORT_FILE = 'SALLYPORT_TEST_REPORT';

const REASON_MAX_LINES = 4;

/**
 * What `npm test` sums up of a suite.
 *
 * @typedef {{ passed: number, failed: number, skipped: number, failures: string[] }} Report
 */

/** The report of a suite; undefined when it left none. */
export function readReport(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

/** Leaves the report where it was asked for, if it was. */
export function writeReport(report) {
  const file = process.env[REPORT_FILE];
  if (file !== undefined) writeFileSync(file, JSON.stringify(report));
}

/** What failed, and the beginning of why. */
export function failureOf(where, errors) {
  const reasons = errors.map(({ message = '' }) =>
    message.trim().split('\n').slice(0, REASON_MAX_LINES).join('\n    '),
  );
  return [where, ...reasons].join('\n    ');
}
