import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readCounts } from './counts.mjs';
import { summaryOf } from './summary.mjs';

async function countsOf(report) {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-counts-'));
  try {
    await writeFile(join(folder, 'report.json'), JSON.stringify(report));
    return readCounts(join(folder, 'report.json'));
  } finally {
    await rm(folder, { recursive: true });
  }
}

it('counts from either reporter', async () => {
  expect(await countsOf({ numPassedTests: 5, numFailedTests: 1, numPendingTests: 2, numTodoTests: 1 })).toEqual({
    passed: 5,
    failed: 1,
    skipped: 3,
  });
  expect(await countsOf({ stats: { expected: 4, unexpected: 1, flaky: 1, skipped: 0 } })).toEqual({
    passed: 4,
    failed: 2,
    skipped: 0,
  });
  expect(readCounts('/nowhere/report.json')).toBeUndefined();
});

it('closes with the totals over all steps', () => {
  const text = summaryOf([
    { name: 'unit tests', ok: true, seconds: 12.34, counts: { passed: 40, failed: 0, skipped: 1 } },
    { name: 'journeys', ok: false, seconds: 2, counts: { passed: 2, failed: 1, skipped: 0 } },
  ]);
  expect(text.split('\n')).toEqual([
    'ok      unit tests  12.3 s  40 passed, 0 failed, 1 skipped',
    'FAILED  journeys    2.0 s   2 passed, 1 failed, 0 skipped',
    '',
    '42 passed, 1 failed, 1 skipped',
  ]);
});

it('names the steps that were not reached', () => {
  const failed = { name: 'unit tests', ok: false, seconds: 2, counts: { passed: 2, failed: 1, skipped: 0 } };
  expect(summaryOf([failed], ['build', 'journeys']).split('\n')).toEqual([
    'FAILED   unit tests  2.0 s  2 passed, 1 failed, 0 skipped',
    'not run  build',
    'not run  journeys',
    '',
    '2 passed, 1 failed',
  ]);
});

it('never says that nothing failed when a step did', () => {
  const passed = { name: 'checks', ok: true, seconds: 1, counts: undefined };
  const failed = { name: 'build', ok: false, seconds: 1, counts: undefined };
  const brokenOff = { name: 'unit', ok: false, seconds: 1, counts: { passed: 3, failed: 0, skipped: 0 } };
  expect(summaryOf([passed, failed])).toMatch(/\n0 passed, 1 failed$/);
  expect(summaryOf([brokenOff])).toMatch(/\n3 passed, 1 failed$/);
});
