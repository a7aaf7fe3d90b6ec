/**
 * The way in on any machine with Node 18 or newer: finds or fetches a suitable Node and pnpm, installs the packages,
 * and hands over to one of the root's programs or, with any other arguments, to pnpm.
 */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureDependencies } from './boot/dependencies.mjs';
import { handOver } from './boot/handOver.mjs';
import { findRuntime } from './boot/runtime.mjs';
import { Halt, runMain } from './say.mjs';

const PROGRAMS = ['start', 'dev', 'test', 'bench', 'faults'];

await runMain(async () => {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const [command, ...rest] = process.argv.slice(2);
  if (command === undefined) {
    throw new Halt('say what to run: npm run boot -- <arguments of pnpm>, for example npm run boot -- test:unit');
  }
  const runtime = await findRuntime(root);
  await ensureDependencies(root, runtime);
  const context = { cwd: root, env: runtime.env };
  process.exitCode = PROGRAMS.includes(command)
    ? await handOver(runtime.node, [join(root, 'scripts', `${command}.mjs`), ...rest], context)
    : await handOver(runtime.pnpm, [command, ...rest], { ...context, group: true });
});
