/** `npm test`, after the boot: every check there is, in order of cost; the first that fails ends it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { handOver } from './boot/handOver.mjs';
import { keepStamp, stampOf } from './buildStamp.mjs';
import { Halt, runMain } from './say.mjs';
import { ensureSystemPackages } from './systemPackages.mjs';
import { readReport, REPORT_FILE, summaryOf } from './testing/summary.mjs';

/** No step takes this long; one that does waits for something that will not come. */
const STEP_LIMIT_MS = 2_400_000;

const STEPS = [
  { name: 'lint, format, types, dead code', script: 'check' },
  { name: 'unit tests', script: 'test:unit' },
  { name: 'build', script: 'build' },
  { name: 'system tests and faults', script: 'test:processes' },
  { name: 'journeys in a browser', script: 'test:e2e' },
];

const root = join(import.meta.dirname, '..');

await runMain(async () => {
  if (!(await ensureSystemPackages('test'))) throw new Halt('the tests need the programs named above.');
  const scratch = mkdtempSync(join(tmpdir(), 'sallyport-test-'));
  try {
    const results = await runSteps(scratch);
    print('summary');
    const notRun = STEPS.slice(results.length).map((step) => step.name);
    console.log(summaryOf(results, notRun));
    if (!results.every((result) => result.ok)) process.exitCode = 1;
  } finally {
    rmSync(scratch, { recursive: true });
  }
});

async function runSteps(scratch) {
  const results = [];
  for (const step of STEPS) {
    print(step.name);
    const result = await runStep(step, scratch);
    results.push(result);
    if (!result.ok) break;
  }
  return results;
}

async function runStep({ name, script }, scratch) {
  const report = join(scratch, `${script.replaceAll(':', '-')}.json`);
  const sources = script === 'build' ? stampOf(root) : undefined;
  const begin = performance.now();
  const code = await handOver('pnpm', ['run', script], {
    cwd: root,
    env: {
      ...process.env,
      [REPORT_FILE]: report,
      // A gateway is started hundreds of times: half of the work of a start is to compile it.
      NODE_COMPILE_CACHE: join(scratch, 'compiled'),
    },
    group: true,
    limitMs: STEP_LIMIT_MS,
  });
  const ok = code === 0;
  if (performance.now() - begin > STEP_LIMIT_MS) console.log(`ended after ${STEP_LIMIT_MS / 60_000} minutes`);
  if (ok && sources !== undefined) keepStamp(root, sources);
  return { name, ok, seconds: (performance.now() - begin) / 1000, report: readReport(report) };
}

function print(heading) {
  console.log(`\n=== ${heading} ===`);
}
