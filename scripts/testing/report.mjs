import { existsSync, readFileSync, writeFileSync } from 'node:fs';

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
