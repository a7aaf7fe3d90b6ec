/** `npm start`, after the boot: gets what the gateway works with, builds what has changed, becomes the gateway. */
import { join } from 'node:path';
import { ensureBuilt } from './ensureBuilt.mjs';
import { runMain } from './say.mjs';
import { ensureSystemPackages } from './systemPackages.mjs';

await runMain(async () => {
  const root = join(import.meta.dirname, '..');
  // What could not be installed was named; whether it can do without, the gateway knows.
  await ensureSystemPackages('start');
  await ensureBuilt(root);
  const gateway = join(root, 'packages', 'gateway', 'dist', 'main.js');
  process.execve?.(process.execPath, [process.execPath, gateway, ...process.argv.slice(2)], process.env);
});
