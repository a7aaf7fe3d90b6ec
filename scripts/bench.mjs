/**
 * `npm run bench`, after the boot: runs every benchmark, prints one table and keeps it in bench/results.json. With names
 * (`npm run bench -- start log`) it runs those alone and keeps nothing.
 */
import { globSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt } from './buildStamp.mjs';
import { Halt, runMain, say } from './say.mjs';
import { ensureSystemPackages } from './systemPackages.mjs';
import { notMeasured } from '../bench/support/figures.mjs';
import { alignedRows } from './testing/summary.mjs';

const root = join(import.meta.dirname, '..');

await runMain(async () => {
  const wanted = process.argv.slice(2);
  const benchmarks = Object.assign(
    {},
    ...(await Promise.all(globSync('bench/*.bench.mjs', { cwd: root }).toSorted().map(load))),
  );
  const names = Object.keys(benchmarks);
  const unknown = wanted.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Halt(`there is no benchmark ${unknown.join(', ')}: ${names.join(' ')}`);
  // What is missing was named; the benchmarks that need it say that they leave something out.
  await ensureSystemPackages('bench');
  await ensureBuilt(root);
  const figures = [];
  for (const name of wanted.length === 0 ? names : wanted) {
    say(`measuring ${name} ...`);
    figures.push(...(await measured(name, benchmarks[name])));
  }
  console.log(tableOf(figures).join('\n'));
  for (const { name, reason } of figures) if (reason !== undefined) console.log(`${name}: ${reason}`);
  // Figures of different days do not stand next to each other.
  if (wanted.length === 0) keep(figures);
  if (!figures.every((figure) => figure.met)) throw new Halt('a figure does not meet its mark.');
});

/** The benchmarks of a file by their names, each a function. */
async function load(path) {
  return (await import(pathToFileURL(join(root, path)).href)).default;
}

/** One that breaks off is a mark that is not met; it does not take the figures of the others with it. */
async function measured(name, measure) {
  try {
    return await measure();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [notMeasured(0, { name, unit: 'of anything', reason })];
  }
}

function keep(figures) {
  const machine = { node: process.versions.node, cpu: cpus()[0]?.model ?? 'unknown', cpus: cpus().length };
  const results = { measuredAt: new Date().toISOString(), machine, figures };
  writeFileSync(join(root, 'bench', 'results.json'), `${JSON.stringify(results, null, 2)}\n`);
}

/** `value` and `against` were measured in the same unit; `ratio` is the one by the other; `mark` is what `value` must meet. */
function tableOf(figures) {
  const heading = ['figure', 'value', 'against', 'ratio', 'mark', 'met'];
  const rows = figures.map(({ name, value, unit, against, ratio, mark, met }) => [
    name,
    `${value} ${unit}`,
    against === undefined ? '' : `${against} ${unit}`,
    ratio === undefined ? '' : ratio.toFixed(2),
    `${mark} ${unit}`,
    met ? 'yes' : 'NO',
  ]);
  return alignedRows([heading, ...rows]);
}
