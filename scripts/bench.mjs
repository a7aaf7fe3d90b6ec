/** `npm run bench`, after the boot: runs every benchmark, prints one table and keeps it in bench/results.json. */
import { globSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt } from './ensureBuilt.mjs';
import { Halt, runMain } from './say.mjs';
import { alignedRows } from './testing/summary.mjs';

const root = join(import.meta.dirname, '..');

await runMain(async () => {
  await ensureBuilt(root);
  const figures = [];
  for (const path of globSync('bench/*.bench.mjs', { cwd: root }).toSorted()) {
    const { default: measure } = await import(pathToFileURL(join(root, path)).href);
    figures.push(...(await measure()));
  }
  console.log(tableOf(figures).join('\n'));
  const machine = { node: process.versions.node, cpu: cpus()[0]?.model ?? 'unknown', cpus: cpus().length };
  const results = { measuredAt: new Date().toISOString(), machine, figures };
  writeFileSync(join(root, 'bench', 'results.json'), `${JSON.stringify(results, null, 2)}\n`);
  if (!figures.every((figure) => figure.met)) throw new Halt('a figure does not meet its mark.');
});

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
