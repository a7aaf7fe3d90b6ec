const NOTHING = { passed: 0, failed: 0, skipped: 0 };

/** The sum over all steps. A step that failed without a failed test to show counts as one failure. */
export function totalsOf(results) {
  return results.reduce((sum, result) => {
    const { passed, failed, skipped } = result.counts ?? NOTHING;
    return {
      passed: sum.passed + passed,
      failed: sum.failed + (result.ok ? failed : Math.max(failed, 1)),
      skipped: sum.skipped + skipped,
    };
  }, NOTHING);
}

/**
 * A table of the steps, those that were not reached too, and, as the last line, the totals: "N passed, N failed", and
 * ", N skipped" if any were.
 */
export function summaryOf(results, notRun = []) {
  const rows = results.map(({ name, ok, seconds, counts }) => [
    ok ? 'ok' : 'FAILED',
    name,
    `${seconds.toFixed(1)} s`,
    counts ? `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped` : '',
  ]);
  const missed = notRun.map((name) => ['not run', name, '', '']);
  const { passed, failed, skipped } = totalsOf(results);
  const totals = `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`;
  return [...alignedRows([...rows, ...missed]), '', totals].join('\n');
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
