#!/usr/bin/env node
// Everything else stands in files that an older Node may not even be able to read; this one it can.
import { fileURLToPath } from 'node:url';
import { nodeProblem } from './nodeVersion.ts';

const problem = nodeProblem(process.versions.node);
if (problem === null) {
  const { start } = await import('./start.ts');
  await start(fileURLToPath(import.meta.url));
} else {
  process.stderr.write(`sallyport: ${problem}\n`);
  process.exitCode = 1;
}
