import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readReport, REPORT_FILE, summaryOf } from './summary.mjs';

const report = (passed, failed, skipped, failures = []) => ({ passed, failed, skipped, failures });

it('closes with the totals over all steps', () => {
  const text = summaryOf([
    { name: 'unit tests', ok: true, seconds: 12.34, report: report(40, 0, 1) },
    { name: 'journeys', ok: true, seconds: 2, report: report(2, 0, 0) },
  ]);
  expect(text.split('\n')).toEqual([
    'ok  unit tests  12.3 s  40 passed, 0 failed, 1 skipped',
    'ok  journeys    2.0 s   2 passed, 0 failed, 0 skipped',
    '',
    '42 passed, 0 failed, 1 skipped',
  ]);
});

it('says what failed and why, and names the steps that were not reached', () => {
  const failed = {
    name: 'unit tests',
    ok: false,
    seconds: 2,
    report: report(2, 1, 0, ['a.test.ts > adds\n    1 is 2']),
  };
  expect(summaryOf([failed], ['build', 'journeys']).split('\n')).toEqual([
    'failed:',
    '  unit tests: a.test.ts > adds',
    '    1 is 2',
    '',
    'FAILED   unit tests  2.0 s  2 passed, 1 failed, 0 skipped',
    'not run  build',
    'not run  journeys',
    '',
    '2 passed, 1 failed',
  ]);
});

it('shows no more failures than fit the end of an output', () => {
  const failures = Array.from({ length: 50 }, (_, index) => `test ${index}`);
  const text = summaryOf([{ name: 'unit', ok: false, seconds: 2, report: report(0, 50, 0, failures) }]);
  expect(text).toMatch(/ {2}unit: test 19\n {2}and 30 more\n\n/);
});

it('never says that nothing failed when a step did', () => {
  const passed = { name: 'checks', ok: true, seconds: 1, report: undefined };
  const failed = { name: 'build', ok: false, seconds: 1, report: undefined };
  const brokenOff = { name: 'unit', ok: false, seconds: 1, report: report(3, 0, 0) };
  expect(summaryOf([passed, failed])).toMatch(/^failed:\n {2}build: see its output above\n[^]*\n0 passed, 1 failed$/);
  expect(summaryOf([brokenOff])).toMatch(/\n3 passed, 1 failed$/);
});

const VITEST_SUITE = `
  import { beforeAll, describe, expect, it } from 'vitest';
  it('passes', () => void setTimeout(() => { throw new Error('a late one'); }));
  it('fails', () => expect(1).toBe(2));
  it('is skipped', ({ skip }) => skip('no network here'));
  describe('a suite', () => {
    beforeAll(() => { throw new Error('a hook'); });
    it('is not reached', () => {});
  });
`;
const PLAYWRIGHT_SUITE = `
  import { expect, test } from '@playwright/test';
  test('passes', () => {});
  test('fails', () => expect(1).toBe(2));
  test('is skipped', () => test.skip());
`;

/** Runs a suite of its own in a folder of this repository, where its runner is found, and returns its report. */
async function reportOf(program, config, file, suite) {
  const folder = await mkdtemp(join(import.meta.dirname, '..', '..', 'node_modules', '.report-test-'));
  try {
    const reporter = join(import.meta.dirname, `${program}Report.mjs`);
    await writeFile(join(folder, `${program}.config.mjs`), `export default ${JSON.stringify(config(reporter))};`);
    await writeFile(join(folder, file), suite);
    const path = join(folder, 'report.json');
    const runner = join(import.meta.dirname, '..', '..', 'node_modules', '.bin', program);
    const args = [...(program === 'vitest' ? ['run'] : ['test']), '--config', `${program}.config.mjs`];
    const env = { PATH: process.env['PATH'], [REPORT_FILE]: path };
    const code = await new Promise((resolve) => {
      execFile(runner, args, { cwd: folder, env }, (error) => resolve(error?.code ?? 0));
    });
    return { code, report: readReport(path) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

it('hears from Vitest of tests, hooks and errors outside of any test', async () => {
  const config = (reporter) => ({ test: { reporters: [reporter], include: ['*.suite.mjs'] } });
  const { code, report: left } = await reportOf('vitest', config, 'a.suite.mjs', VITEST_SUITE);
  expect(code).toBe(1);
  expect(left).toMatchObject({ passed: 1, failed: 1, skipped: 2 });
  expect(left.failures.toSorted()).toEqual([
    expect.stringMatching(/^a\.suite\.mjs > a suite\n {4}a hook/),
    expect.stringMatching(/^a\.suite\.mjs > fails\n {4}expected 1 to be 2/),
    expect.stringMatching(/^outside of any test\n {4}a late one/),
  ]);
});

it('hears from Playwright', async () => {
  const config = (reporter) => ({ testMatch: '*.suite.mjs', reporter: [[reporter]] });
  const { code, report: left } = await reportOf('playwright', config, 'a.suite.mjs', PLAYWRIGHT_SUITE);
  expect(code).toBe(1);
  expect(left).toMatchObject({ passed: 1, failed: 1, skipped: 1 });
  expect(left.failures).toEqual([expect.stringMatching(/^a\.suite\.mjs > fails\n {4}[^]*toBe/)]);
});
