/** `npm run faults`, after the boot: breaks what `npm test` breaks, the whole of it. */
import { join } from 'node:path';
import { handOver } from './boot/handOver.mjs';
import { ensureBuilt } from './buildStamp.mjs';
import { Halt, runMain } from './say.mjs';
import { ensureSystemPackages } from './systemPackages.mjs';

await runMain(async () => {
  const root = join(import.meta.dirname, '..');
  if (!(await ensureSystemPackages('start'))) throw new Halt('the faults need the programs named above.');
  await ensureBuilt(root);
  process.exitCode = await handOver('pnpm', ['run', 'test:faults', ...process.argv.slice(2)], {
    cwd: root,
    env: { ...process.env, SALLYPORT_FAULTS: 'full' },
    group: true,
  });
});
